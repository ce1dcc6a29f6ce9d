import { createHmac, randomBytes } from 'node:crypto'
import { DAY_MS } from '@tocsin/protocol/durations'
import type { Config } from '../../config.ts'
import { isEqualSecret } from '../../is-equal-secret.ts'
import { getCookieName } from './session.ts'

/**
 * Lifetime of the device cookie. The cookie proves that this browser has signed in to an account
 * before. Password attempts from this browser are counted separately, so that a stranger who
 * guesses passwords cannot lock the owner out. The cookie grants no access.
 */
export const DEVICE_LIFETIME_MS = 365 * DAY_MS

export function getDeviceCookieName(config: Config): string {
  return `${getCookieName(config)}-device`
}

/** Maximum number of accounts that one browser is remembered for. */
const MAX_ACCOUNTS = 5

/**
 * Creates the device cookie for an account.
 * @param formerCookie the browser's current device cookie; its other accounts are kept
 */
export function createDeviceCookie(config: Config, email: string, formerCookie: string | undefined): string {
  const [formerNonce, ...formerSeals] = splitCookie(formerCookie)
  const nonce = formerNonce ?? randomBytes(16).toString('base64url')
  const ownSeals = createSeals(config, nonce, email)
  return [nonce, ownSeals[0], ...formerSeals.filter((formerSeal) => !ownSeals.includes(formerSeal))]
    .slice(0, 1 + MAX_ACCOUNTS)
    .join('.')
}

/** Returns the device nonce, or null if the cookie is not valid for this address. */
export function readDeviceCookie(config: Config, email: string, cookie: string | undefined): string | null {
  const [nonce, ...seals] = splitCookie(cookie)
  if (!nonce) return null
  const expectedSeals = createSeals(config, nonce, email)
  const isExpectedSeal = (givenSeal: string) => expectedSeals.some((expected) => isEqualSecret(givenSeal, expected))
  return seals.some(isExpectedSeal) ? nonce : null
}

/** Splits the cookie into nonce and seals. Returns an empty array if the cookie is malformed. */
function splitCookie(cookie: string | undefined): string[] {
  return cookie && /^[\w-]{22}(\.[\w-]{43}){1,5}$/.test(cookie) ? cookie.split('.') : []
}

/** Returns the seal of APP_SECRET, followed by that of APP_SECRET_PREVIOUS if it is set. */
function createSeals({ appSecret, appSecretPrevious }: Config, nonce: string, email: string): string[] {
  const secrets = appSecretPrevious === null ? [appSecret] : [appSecret, appSecretPrevious]
  return secrets.map((secret) =>
    createHmac('sha256', secret).update(`known-device\n${nonce}\n${email}`).digest('base64url'),
  )
}
