import { createHmac } from 'node:crypto'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import type { Config } from '../../config.ts'
import { createSecret } from '../sessions/secret.ts'
import { getCookieName } from '../sessions/session.ts'

/** Time limit for signing in at the provider. */
export const FLOW_LIFETIME_MS = 10 * MINUTE_MS

/**
 * Secrets of one provider flow, which is the redirect to the provider and back. Nonce and PKCE
 * verifier are derived from the browser cookie, so only this browser can complete the flow.
 */
export interface FlowSecrets {
  browser: string
  state: string
  nonce: string
  codeVerifier: string
}

export function getFlowCookieName(config: Config): string {
  return `${getCookieName(config)}-provider`
}

export function createNewFlowSecrets(): FlowSecrets {
  return createFlowSecrets(createSecret(), createSecret())
}

export function createFlowSecrets(browser: string, state: string): FlowSecrets {
  const derive = (use: string) => createHmac('sha256', browser).update(`${use}\n${state}`).digest('base64url')
  return { browser, state, nonce: derive('nonce'), codeVerifier: derive('pkce') }
}
