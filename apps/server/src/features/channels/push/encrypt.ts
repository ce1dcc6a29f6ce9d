import webPush, { type PushSubscription, type RequestOptions } from 'web-push'

/**
 * A request of web push (RFC 8030) with an encrypted body (RFC 8291). Header names are in lower
 * case.
 */
export interface EncryptedRequest {
  headers: Record<string, string>
  body: Uint8Array
}

export type PushOptions = Pick<RequestOptions, 'TTL' | 'urgency' | 'topic'>

/**
 * Encrypts a message with a new key pair.
 * @param options with the header `Authorization` of RFC 8292
 * @throws Error if a key of the subscription is not valid
 */
export function encrypt(
  subscription: PushSubscription,
  payload: string,
  { authorization, ...options }: PushOptions & { authorization: string },
): EncryptedRequest {
  const headers = { Authorization: authorization }
  const details = webPush.generateRequestDetails(subscription, payload, {
    ...options,
    headers,
    vapidDetails: undefined,
  })
  const headerEntries = Object.entries(details.headers).map(([name, value]) => [name.toLowerCase(), String(value)])
  return { headers: Object.fromEntries(headerEntries), body: details.body ?? new Uint8Array() }
}
