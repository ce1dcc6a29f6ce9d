import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Config } from '../../config.ts'
import { isUuid } from '../../uuid.ts'

type SecretConfig = Pick<Config, 'appSecret' | 'appSecretPrevious'>
/** `messages`: the id is that of an account, which gets no news any more. */
type Purpose = 'unsubscribe' | 'acknowledge' | 'messages'

/**
 * A token for a link in a message: it does one thing at one destination, without a session. Nothing
 * is stored about it.
 * @param number the log index to acknowledge; 0 to unsubscribe
 */
export function createLinkToken({ appSecret }: SecretConfig, purpose: Purpose, id: string, number = 0): string {
  return `${id}.${number}.${mac(appSecret, purpose, id, number)}`
}

/** Null if the token was not created here for this purpose. */
export function readLinkToken(
  { appSecret, appSecretPrevious }: SecretConfig,
  purpose: Purpose,
  token: string,
): { id: string; number: number } | null {
  const [id = '', digits = '', given = '', ...more] = token.split('.')
  if (!isUuid(id) || !/^\d{1,15}$/.test(digits) || more.length > 0) return null
  const number = Number(digits)
  const secrets = appSecretPrevious === null ? [appSecret] : [appSecret, appSecretPrevious]
  const isOurs = secrets.some((secret) => isEqual(given, mac(secret, purpose, id, number)))
  return isOurs ? { id, number } : null
}

function mac(secret: string, purpose: Purpose, id: string, number: number): string {
  return createHmac('sha256', secret).update(`channel link ${purpose} ${id} ${number}`).digest('base64url')
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
