import { createHmac } from 'node:crypto'
import type { Config } from '../../config.ts'
import { isEqualSecret } from '../../is-equal-secret.ts'

type SecretConfig = Pick<Config, 'appSecret' | 'appSecretPrevious'>
/**
 * The action of a link. The link contains the id of a destination, except for `messages`, which
 * unsubscribes an address from news: that link contains the hash of the address.
 */
type Purpose = 'unsubscribe' | 'acknowledge' | 'messages'

/**
 * Creates a token for a link in a message. The link performs one action for one id, without a
 * session. The token is not stored.
 * @param number the log index to acknowledge; 0 to unsubscribe
 */
export function createLinkToken({ appSecret }: SecretConfig, purpose: Purpose, id: string, number = 0): string {
  return `${id}.${number}.${computeMac(appSecret, purpose, id, number)}`
}

/** Returns null if the token was not created by this server for this purpose. */
export function readLinkToken(
  { appSecret, appSecretPrevious }: SecretConfig,
  purpose: Purpose,
  token: string,
): { id: string; number: number } | null {
  const [id = '', digits = '', givenSignature = '', ...more] = token.split('.')
  if (!/^\d{1,15}$/.test(digits) || more.length > 0) return null
  const number = Number(digits)
  const secrets = appSecretPrevious === null ? [appSecret] : [appSecret, appSecretPrevious]
  const isValidMac = secrets.some((secret) => isEqualSecret(givenSignature, computeMac(secret, purpose, id, number)))
  return isValidMac ? { id, number } : null
}

function computeMac(secret: string, purpose: Purpose, id: string, number: number): string {
  return createHmac('sha256', secret).update(`channel link ${purpose} ${id} ${number}`).digest('base64url')
}
