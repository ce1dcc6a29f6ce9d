import type { IdentityProvider } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client'
import type { ProviderConfig } from '../../config.ts'
import type { FlowSecrets } from './provider-flow.ts'

/** Verified claims about the user. */
export interface ProviderClaims {
  issuer: string
  subject: string
  email: string | null
  isEmailVerified: boolean
  name: string | null
}

const TIMEOUT_SECONDS = 5
const DISCOVERY_TRIES = 2
const REFRESH_MS = HOUR_MS

const configurationCache = new WeakMap<ProviderConfig, { atMs: number; configuration: Promise<Configuration> }>()

/**
 * Returns the discovery document of the issuer and refreshes it once an hour. If a refresh fails,
 * the previous document is used.
 */
function getConfiguration(provider: ProviderConfig): Promise<Configuration> {
  const cachedConfiguration = configurationCache.get(provider)
  if (cachedConfiguration && performance.now() - cachedConfiguration.atMs < REFRESH_MS)
    return cachedConfiguration.configuration
  const configuration = fetchConfiguration(provider).catch((error: unknown) => {
    if (cachedConfiguration) return cachedConfiguration.configuration
    configurationCache.delete(provider)
    throw error
  })
  configurationCache.set(provider, { atMs: performance.now(), configuration })
  return configuration
}

async function fetchConfiguration({ issuer, clientId, clientSecret }: ProviderConfig): Promise<Configuration> {
  const url = new URL(issuer)
  for (let triesLeft = DISCOVERY_TRIES; ; triesLeft--) {
    try {
      // Google and LinkedIn sign with RS256 and accept the client secret in the body. LinkedIn
      // accepts it only in the body.
      return await discovery(url, clientId, { id_token_signed_response_alg: 'RS256' }, ClientSecretPost(clientSecret), {
        timeout: TIMEOUT_SECONDS,
        // The configuration allows plain HTTP only for a provider on this machine.
        execute: [enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [allowInsecureRequests] : [])],
      })
    } catch (error) {
      if (triesLeft <= 1) throw error
    }
  }
}

/**
 * Returns false if flows have no nonce and PKCE. LinkedIn returns no nonce and rejects a PKCE
 * verifier from web applications with `invalid_client`; it advertises neither. Its flows are bound
 * by the single-use state and the browser cookie. For Google, nonce and PKCE are required even if
 * it does not advertise them.
 */
function supportsNonceAndPkce(name: IdentityProvider, configuration: Configuration): boolean {
  return name === 'google' || configuration.serverMetadata().supportsPKCE()
}

/**
 * @param mustChoose true if Google must let the user choose an account, for linking and
 * reauthentication
 * @throws if discovery fails
 */
export async function createAuthorizationUrl(
  name: IdentityProvider,
  provider: ProviderConfig,
  redirectUri: string,
  flow: FlowSecrets,
  mustChoose: boolean,
): Promise<URL> {
  const configuration = await getConfiguration(provider)
  const binding = supportsNonceAndPkce(name, configuration)
    ? {
        nonce: flow.nonce,
        code_challenge: await calculatePKCECodeChallenge(flow.codeVerifier),
        code_challenge_method: 'S256',
      }
    : {}
  return buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    state: flow.state,
    ...binding,
    ...(mustChoose && name === 'google' ? { prompt: 'select_account' } : {}),
  })
}

/**
 * Exchanges the callback for claims. Checks issuer, audience, signature, time, state, nonce and
 * PKCE.
 * @throws if a check or a request fails
 */
export async function readClaims(
  name: IdentityProvider,
  provider: ProviderConfig,
  callbackUrl: URL,
  flow: FlowSecrets,
): Promise<ProviderClaims> {
  const configuration = await getConfiguration(provider)
  const binding = supportsNonceAndPkce(name, configuration)
    ? { expectedNonce: flow.nonce, pkceCodeVerifier: flow.codeVerifier }
    : {}
  const tokens = await authorizationCodeGrant(configuration, callbackUrl, {
    expectedState: flow.state,
    idTokenExpected: true,
    ...binding,
  })
  const idToken = tokens.claims()
  if (!idToken) throw new Error('The provider sent no ID token')
  const claims =
    typeof idToken.email === 'string' || !configuration.serverMetadata().userinfo_endpoint
      ? idToken
      : await fetchUserInfo(configuration, tokens.access_token, idToken.sub)
  return {
    issuer: idToken.iss,
    subject: idToken.sub,
    email: parseText(claims.email),
    // LinkedIn has sent this claim as a string.
    isEmailVerified: String(claims.email_verified) === 'true',
    name: parseText(claims.name),
  }
}

const parseText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
