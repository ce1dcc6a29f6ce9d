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

export function newDeviceCookie(config: Config, email: string): string {
  const nonce = randomBytes(16).toString('base64url')
  return `${nonce}.${seal(config, nonce, email)}`
}

/** The device's own name, or null if the cookie is none of ours for this address. */
export function readDeviceCookie(config: Config, email: string, cookie: string | undefined): string | null {
  const [nonce, given] = cookie?.split('.') ?? []
  if (!nonce || !given) return null
  const expected = Buffer.from(seal(config, nonce, email))
  const actual = Buffer.from(given)
  return actual.length === expected.length && timingSafeEqual(actual, expected) ? nonce : null
}

function seal(config: Config, nonce: string, email: string): string {
  return createHmac('sha256', config.appSecret).update(`known-device\n${nonce}\n${email}`).digest('base64url')
}
