import type { IdentityProvider } from '@tocsin/protocol'
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
import type { TripSecrets } from './provider-trip.ts'

/** Whom a provider has named. */
export interface ProviderClaims {
  issuer: string
  subject: string
  email: string | null
  isEmailVerified: boolean
  name: string | null
}

const TIMEOUT_SECONDS = 5
const DISCOVERY_TRIES = 2
const REFRESH_MS = 3_600_000

const discovered = new WeakMap<ProviderConfig, { atMs: number; configuration: Promise<Configuration> }>()

/** What the issuer says of itself, asked once an hour. While it can't be asked again, the former answer counts. */
function discover(provider: ProviderConfig): Promise<Configuration> {
  const known = discovered.get(provider)
  if (known && performance.now() - known.atMs < REFRESH_MS) return known.configuration
  const configuration = askIssuer(provider).catch((error: unknown) => {
    if (known) return known.configuration
    discovered.delete(provider)
    throw error
  })
  discovered.set(provider, { atMs: performance.now(), configuration })
  return configuration
}

async function askIssuer({ issuer, clientId, clientSecret }: ProviderConfig): Promise<Configuration> {
  const url = new URL(issuer)
  for (let left = DISCOVERY_TRIES; ; left--) {
    try {
      // Google and LinkedIn both sign with RS256, and both take the secret in the body: LinkedIn takes it nowhere else.
      return await discovery(url, clientId, { id_token_signed_response_alg: 'RS256' }, ClientSecretPost(clientSecret), {
        timeout: TIMEOUT_SECONDS,
        // The configuration lets nobody but a provider on this machine do without TLS.
        execute: [enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [allowInsecureRequests] : [])],
      })
    } catch (error) {
      if (left <= 1) throw error
    }
  }
}

/**
 * LinkedIn echoes no nonce and answers a PKCE verifier of a web application with `invalid_client`; it advertises neither. There the state remains, used
 * once and bound to the browser's cookie. Of Google both are demanded, whatever is advertised.
 */
function bindsCode(name: IdentityProvider, configuration: Configuration): boolean {
  return name === 'google' || configuration.serverMetadata().supportsPKCE()
}

/** Where to send the browser. Throws if the provider can't be asked. */
export async function authorizationUrl(
  name: IdentityProvider,
  provider: ProviderConfig,
  redirectUri: string,
  trip: TripSecrets,
  mustChoose: boolean,
): Promise<URL> {
  const configuration = await discover(provider)
  const binding = bindsCode(name, configuration)
    ? {
        nonce: trip.nonce,
        code_challenge: await calculatePKCECodeChallenge(trip.codeVerifier),
        code_challenge_method: 'S256',
      }
    : {}
  return buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    state: trip.state,
    ...binding,
    ...(mustChoose && name === 'google' ? { prompt: 'select_account' } : {}),
  })
}

/** Turns what the browser came back with into claims, once issuer, audience, signature, time, state, nonce and PKCE have been checked. Throws otherwise. */
export async function readClaims(
  name: IdentityProvider,
  provider: ProviderConfig,
  returned: URL,
  trip: TripSecrets,
): Promise<ProviderClaims> {
  const configuration = await discover(provider)
  const binding = bindsCode(name, configuration)
    ? { expectedNonce: trip.nonce, pkceCodeVerifier: trip.codeVerifier }
    : {}
  const tokens = await authorizationCodeGrant(configuration, returned, {
    expectedState: trip.state,
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
    email: textOrNull(claims.email),
    // LinkedIn has sent it as text.
    isEmailVerified: claims.email_verified === true || String(claims.email_verified) === 'true',
    name: textOrNull(claims.name),
  }
}

const textOrNull = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
