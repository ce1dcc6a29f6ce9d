import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { DAY_MS } from '@tocsin/protocol/durations'
import type { Config } from '../../config.ts'
import { cookieName } from './session.ts'

/**
 * Lifetime of the device cookie. The cookie proves that this browser has signed in to an account
 * before. Password attempts from this browser are counted separately, so that a stranger who
 * guesses passwords cannot lock the owner out. The cookie grants no access.
 */
export const DEVICE_LIFETIME_MS = 365 * DAY_MS

export function deviceCookieName(config: Config): string {
  return `${cookieName(config)}-device`
}

/** Maximum number of accounts that one browser is remembered for. */
const MAX_ACCOUNTS = 5

/**
 * Creates the device cookie for an account.
 * @param former the browser's current device cookie; its other accounts are kept
 */
export function newDeviceCookie(config: Config, email: string, former: string | undefined): string {
  const [formerNonce, ...formerSeals] = readParts(former)
  const nonce = formerNonce ?? randomBytes(16).toString('base64url')
  const own = seal(config, nonce, email)
  return [nonce, own, ...formerSeals.filter((other) => other !== own)].slice(0, 1 + MAX_ACCOUNTS).join('.')
}

/** Returns the device nonce, or null if the cookie is not valid for this address. */
export function readDeviceCookie(config: Config, email: string, cookie: string | undefined): string | null {
  const [nonce, ...seals] = readParts(cookie)
  if (!nonce) return null
  const expected = Buffer.from(seal(config, nonce, email))
  const isOurs = (given: string) => {
    const actual = Buffer.from(given)
    return actual.length === expected.length && timingSafeEqual(actual, expected)
  }
  return seals.some(isOurs) ? nonce : null
}

/** Splits the cookie into nonce and seals. Returns an empty array if the cookie is malformed. */
function readParts(cookie: string | undefined): string[] {
  return cookie && /^[\w-]{22}(\.[\w-]{43}){1,5}$/.test(cookie) ? cookie.split('.') : []
}

function seal(config: Config, nonce: string, email: string): string {
  return createHmac('sha256', config.appSecret).update(`known-device\n${nonce}\n${email}`).digest('base64url')
}
