import { createHmac } from 'node:crypto'
import type { Config } from '../../config.ts'
import { newSecret } from './secret.ts'
import { cookieName } from './session.ts'

/** How long somebody may take at the provider. */
export const TRIP_LIFETIME_MS = 10 * 60_000

/** What one way to a provider and back is bound to. Nonce and verifier follow from the browser's cookie: nobody else can complete it. */
export interface TripSecrets {
  browser: string
  state: string
  nonce: string
  codeVerifier: string
}

export function tripCookieName(config: Config): string {
  return `${cookieName(config)}-provider`
}

export function newTripSecrets(): TripSecrets {
  return tripSecrets(newSecret(), newSecret())
}

export function tripSecrets(browser: string, state: string): TripSecrets {
  const derive = (use: string) => createHmac('sha256', browser).update(`${use}\n${state}`).digest('base64url')
  return { browser, state, nonce: derive('nonce'), codeVerifier: derive('pkce') }
}
