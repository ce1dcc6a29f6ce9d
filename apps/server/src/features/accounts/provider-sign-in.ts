import type { IdentityProvider, ProviderError } from '@tocsin/protocol'
import { AuthorizationResponseError } from 'openid-client'
import type { ProviderConfig } from '../../config.ts'
import type { Context } from '../../context.ts'
import { type Actor, isRecent } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { type Arrival, arrive, TripRefused } from './arrive.ts'
import type { Browser } from './browser.ts'
import { consumeTrip, insertTrip, type ProviderTrip } from './identity-store.ts'
import { authorizationUrl, type ProviderClaims, readClaims } from './provider.ts'
import { newTripSecrets, TRIP_LIFETIME_MS, type TripSecrets, tripSecrets } from './provider-trip.ts'
import { safeReturnPath } from './return-path.ts'
import { hashSecret } from './secret.ts'

export type Purpose = ProviderTrip['purpose']

/** Why a browser comes back without what it went for. */
export interface TripFailure {
  error: ProviderError
  purpose: Purpose
}

const usualPage: Record<Purpose, string> = { 'sign-in': '/dashboard', link: '/settings', confirm: '/settings' }
/** Who comes back late is told so, for this long. */
const TELL_EXPIRED_MS = 3_600_000

export function redirectUri(ctx: Context, provider: IdentityProvider): string {
  return `${ctx.config.http.publicUrl}/api/auth/${provider}/callback`
}

/** Where to send the browser, and the secret that its cookie is to hold until it is back. */
export async function startTrip(
  ctx: Context,
  actor: Actor | null,
  provider: IdentityProvider,
  asked: { purpose: Purpose; returnTo: string | undefined },
): Promise<{ url: string; browser: string } | TripFailure> {
  const { purpose } = asked
  const configured = ctx.config.providers[provider]
  if (!configured) return { error: 'not_configured', purpose }
  const now = ctx.clock.now()
  const sessionId = purpose === 'sign-in' ? null : (actor?.sessionId ?? null)
  if (purpose !== 'sign-in' && !sessionId) return { error: 'failed', purpose: 'sign-in' }
  if (purpose === 'link' && actor && !isRecent(actor, now)) return { error: 'expired', purpose }
  const trip = newTripSecrets()
  const url = await authorizationUrl(
    provider,
    configured,
    redirectUri(ctx, provider),
    trip,
    purpose !== 'sign-in',
  ).catch((error: unknown) => noteTrouble(ctx, provider, error))
  if (!url) return { error: 'failed', purpose }
  const row = {
    stateHash: hashSecret(trip.state),
    browserHash: hashSecret(trip.browser),
    provider,
    purpose,
    sessionId,
    returnTo: safeReturnPath(asked.returnTo, usualPage[purpose]),
    expiresAt: new Date(now.getTime() + TRIP_LIFETIME_MS),
  }
  await insertTrip(ctx.db, row, new Date(now.getTime() - TELL_EXPIRED_MS))
  return { url: url.href, browser: trip.browser }
}

export interface Returned {
  /** The query string that the browser came back with, "?" included. */
  search: string
  /** Value of the cookie that it was sent away with. */
  cookie: string | undefined
  actor: Actor | null
  browser: Browser
}

/** The browser is back: what it may do from here on. Nothing of what it brings is believed before the provider has confirmed it. */
export async function finishTrip(
  ctx: Context,
  provider: IdentityProvider,
  returned: Returned,
): Promise<Arrival | TripFailure> {
  const lost: TripFailure = { error: 'failed', purpose: returned.actor ? 'link' : 'sign-in' }
  const configured = ctx.config.providers[provider]
  if (!configured) return { ...lost, error: 'not_configured' }
  const state = new URLSearchParams(returned.search).get('state')
  if (!state || !returned.cookie) return lost
  const secrets = tripSecrets(returned.cookie, state)
  // Taken before anything is checked, and for good: a state has one return, right or wrong.
  const key = { stateHash: hashSecret(state), browserHash: hashSecret(returned.cookie) }
  const trip = await consumeTrip(ctx.db, key)
  if (trip?.provider !== provider) return lost
  const { purpose } = trip
  if (trip.expiresAt <= ctx.clock.now()) return { error: 'expired', purpose }
  const claims = await askWho(ctx, provider, configured, returned.search, secrets)
  if (typeof claims === 'string') return { error: claims, purpose }
  try {
    return await ctx.db.transaction((tx) => arrive(ctx, tx, trip, claims, returned))
  } catch (error) {
    if (error instanceof TripRefused) return { error: error.error, purpose }
    // Of a suspended account, or a session that has ended meanwhile.
    if (error instanceof Refusal) return { error: 'failed', purpose }
    throw error
  }
}

/** Error codes of somebody who has said no: RFC 6749, and LinkedIn's own. */
const DENIALS = new Set(['access_denied', 'user_cancelled_login', 'user_cancelled_authorize'])

async function askWho(
  ctx: Context,
  provider: IdentityProvider,
  configured: ProviderConfig,
  search: string,
  secrets: TripSecrets,
): Promise<ProviderClaims | ProviderError> {
  // Our own address, as configured: what the request says of the host counts for nothing.
  const returned = new URL(search, redirectUri(ctx, provider))
  try {
    return await readClaims(provider, configured, returned, secrets)
  } catch (error) {
    if (error instanceof AuthorizationResponseError && DENIALS.has(error.error)) return 'denied'
    noteTrouble(ctx, provider, error)
    return 'failed'
  }
}

/** Codes and tokens stand in what the library attaches to its errors: of those only the words are logged. */
function noteTrouble(ctx: Context, provider: IdentityProvider, error: unknown): null {
  const reason = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  ctx.logger.warn({ provider, reason, code }, 'a provider could not say who somebody is')
  return null
}
