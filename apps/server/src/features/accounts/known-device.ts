import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Config } from '../../config.ts'
import { cookieName } from './session.ts'

/**
 * Proof that somebody has signed in to an account from this browser before. Its guesses are counted apart, so that a stranger who
 * guesses at the account cannot lock its owner out. It opens nothing by itself.
 */
export const DEVICE_LIFETIME_MS = 365 * 24 * 3_600_000

export function deviceCookieName(config: Config): string {
  return `${cookieName(config)}-device`
}

/** How many accounts one browser is remembered for. */
const MAX_ACCOUNTS = 5

/** @param former the browser's cookie so far: what it is known for, it stays known for. */
export function newDeviceCookie(config: Config, email: string, former: string | undefined): string {
  const [formerNonce, ...formerSeals] = readParts(former)
  const nonce = formerNonce ?? randomBytes(16).toString('base64url')
  const own = seal(config, nonce, email)
  return [nonce, own, ...formerSeals.filter((other) => other !== own)].slice(0, 1 + MAX_ACCOUNTS).join('.')
}

/** The device's own name, or null if the cookie is none of ours for this address. */
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

/** Nothing unless it has the form of what we set. */
function readParts(cookie: string | undefined): string[] {
  return cookie && /^[\w-]{22}(\.[\w-]{43}){1,5}$/.test(cookie) ? cookie.split('.') : []
}

function seal(config: Config, nonce: string, email: string): string {
  return createHmac('sha256', config.appSecret).update(`known-device\n${nonce}\n${email}`).digest('base64url')
}
