import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { DAY_MS } from '@tocsin/protocol/durations'
import type { Config } from '../../config.ts'
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
  const ownSeal = seal(config, nonce, email)
  return [nonce, ownSeal, ...formerSeals.filter((formerSeal) => formerSeal !== ownSeal)]
    .slice(0, 1 + MAX_ACCOUNTS)
    .join('.')
}

/** Returns the device nonce, or null if the cookie is not valid for this address. */
export function readDeviceCookie(config: Config, email: string, cookie: string | undefined): string | null {
  const [nonce, ...seals] = splitCookie(cookie)
  if (!nonce) return null
  const expectedSeal = Buffer.from(seal(config, nonce, email))
  const isExpectedSeal = (givenSeal: string) => {
    const actual = Buffer.from(givenSeal)
    return actual.length === expectedSeal.length && timingSafeEqual(actual, expectedSeal)
  }
  return seals.some(isExpectedSeal) ? nonce : null
}

/** Splits the cookie into nonce and seals. Returns an empty array if the cookie is malformed. */
function splitCookie(cookie: string | undefined): string[] {
  return cookie && /^[\w-]{22}(\.[\w-]{43}){1,5}$/.test(cookie) ? cookie.split('.') : []
}

function seal(config: Config, nonce: string, email: string): string {
  return createHmac('sha256', config.appSecret).update(`known-device\n${nonce}\n${email}`).digest('base64url')
}
