import { createPublicKey } from 'node:crypto'
import type { PushSubscriptionKeys } from '@tocsin/protocol'
import { parseWebhookUrl } from '../post.ts'

const POINT_BYTES = 65
const SECRET_BYTES = 16

/**
 * The parts of a browser's push subscription that are stored encrypted. Keys are base64url without
 * padding.
 */
export interface StoredSubscription {
  /**
   * The address of this browser at its push service. Anyone who knows it and the keys can send to
   * it.
   */
  url: string
  p256dh: string
  auth: string
}

/**
 * Parses the subscription of a browser.
 * @throws Error with a message for the user if the endpoint is not at a public address, or if the
 * keys do not have the form of RFC 8291: `p256dh` is an uncompressed point of P-256, and `auth` has
 * 16 bytes
 */
export function parseSubscription(subscriptionKeys: PushSubscriptionKeys, allowPrivate: boolean): StoredSubscription {
  const { href } = parseWebhookUrl(subscriptionKeys.endpoint, allowPrivate)
  if (!isCurvePoint(subscriptionKeys.p256dh))
    throw new Error('The key p256dh of the subscription is not a point of the curve P-256')
  if (Buffer.from(subscriptionKeys.auth, 'base64url').length !== SECRET_BYTES) {
    throw new Error('The key auth of the subscription does not have 16 bytes')
  }
  return { url: href, p256dh: subscriptionKeys.p256dh, auth: subscriptionKeys.auth }
}

function isCurvePoint(text: string): boolean {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== POINT_BYTES || bytes[0] !== 4) return false
  const [x, y] = [bytes.subarray(1, 33), bytes.subarray(33)].map((half) => half.toString('base64url'))
  try {
    // Throws if the point is not on the curve.
    createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
    return true
  } catch {
    return false
  }
}
