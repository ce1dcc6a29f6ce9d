/**
 * The fields of a subscription that the server needs to send push messages. The keys are base64url
 * without padding.
 */
export function readSubscriptionKeys(subscription: PushSubscription): {
  endpoint: string
  p256dh: string
  auth: string
} {
  const { endpoint, keys } = subscription.toJSON()
  return { endpoint: endpoint ?? '', p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' }
}
