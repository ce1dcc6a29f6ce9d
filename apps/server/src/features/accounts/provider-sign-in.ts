import type { IdentityProvider, ProviderError } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { AuthorizationResponseError } from 'openid-client'
import type { ProviderConfig } from '../../config.ts'
import type { Context } from '../../context.ts'
import { type Actor, hasRecentAuthentication } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import type { Browser } from '../sessions/browser.ts'
import { hashSecret } from '../sessions/secret.ts'
import { type CompletedFlow, completeFlow, FlowRejected } from './complete-flow.ts'
import { consumeFlow, insertFlow, type ProviderFlow } from './identity-store.ts'
import { createAuthorizationUrl, type ProviderClaims, readClaims } from './provider.ts'
import { createFlowSecrets, createNewFlowSecrets, FLOW_LIFETIME_MS, type FlowSecrets } from './provider-flow.ts'
import { getSafeReturnPath } from './return-path.ts'

export type Purpose = ProviderFlow['purpose']

/** Why a provider flow failed. */
export interface FlowFailure {
  error: ProviderError
  purpose: Purpose
}

const defaultReturnPaths: Record<Purpose, string> = { 'sign-in': '/dashboard', link: '/settings', confirm: '/settings' }
/** Time for which an expired flow is kept, so that a late callback is reported as expired. */
const KEEP_EXPIRED_FLOW_MS = HOUR_MS

export function formatRedirectUri(ctx: Context, provider: IdentityProvider): string {
  return `${ctx.config.http.publicUrl}/api/auth/${provider}/callback`
}

/**
 * Starts a provider flow. Returns the authorization URL and the secret for the cookie that binds
 * the flow to this browser.
 */
export async function startFlow(
  ctx: Context,
  actor: Actor | null,
  provider: IdentityProvider,
  options: { purpose: Purpose; returnTo: string | undefined },
): Promise<{ url: string; browser: string } | FlowFailure> {
  const { purpose } = options
  const providerConfig = ctx.config.providers[provider]
  if (!providerConfig) return { error: 'not_configured', purpose }
  const now = ctx.clock.now()
  const sessionId = purpose === 'sign-in' ? null : (actor?.sessionId ?? null)
  if (purpose !== 'sign-in' && !sessionId) return { error: 'failed', purpose: 'sign-in' }
  if (purpose === 'link' && actor && !hasRecentAuthentication(actor, now)) return { error: 'expired', purpose }
  const newSecrets = createNewFlowSecrets()
  const url = await createAuthorizationUrl(
    provider,
    providerConfig,
    formatRedirectUri(ctx, provider),
    newSecrets,
    purpose !== 'sign-in',
  ).catch((error: unknown) => logProviderError(ctx, provider, error))
  if (!url) return { error: 'failed', purpose }
  const row = {
    stateHash: hashSecret(newSecrets.state),
    browserHash: hashSecret(newSecrets.browser),
    provider,
    purpose,
    sessionId,
    returnTo: getSafeReturnPath(options.returnTo, defaultReturnPaths[purpose]),
    expiresAt: new Date(now.getTime() + FLOW_LIFETIME_MS),
  }
  await insertFlow(ctx.db, row, new Date(now.getTime() - KEEP_EXPIRED_FLOW_MS))
  return { url: url.href, browser: newSecrets.browser }
}

export interface ProviderCallback {
  /** Query string of the callback request, including "?". */
  search: string
  /** Value of the cookie that was set when the flow started. */
  cookie: string | undefined
  actor: Actor | null
  browser: Browser
}

/**
 * Handles the provider callback. The request is not trusted until the provider has confirmed it.
 * @returns `isConsumed` is false if no flow of the cookie was consumed, so that the browser still
 *   needs the cookie for a flow that runs in another tab
 */
export async function finishFlow(
  ctx: Context,
  provider: IdentityProvider,
  callback: ProviderCallback,
): Promise<{ end: CompletedFlow | FlowFailure; isConsumed: boolean }> {
  const end: FlowFailure = { error: 'failed', purpose: callback.actor ? 'link' : 'sign-in' }
  const providerConfig = ctx.config.providers[provider]
  if (!providerConfig) return { end: { ...end, error: 'not_configured' }, isConsumed: false }
  const state = new URLSearchParams(callback.search).get('state')
  if (!state || !callback.cookie) return { end, isConsumed: false }
  const secrets = createFlowSecrets(callback.cookie, state)
  // The state is consumed before anything is checked, so that each state can be used only once,
  // even if the callback is invalid.
  const key = { stateHash: hashSecret(state), browserHash: hashSecret(callback.cookie) }
  const flow = await consumeFlow(ctx.db, key)
  if (flow?.provider !== provider) return { end, isConsumed: flow !== undefined }
  return { end: await completeCallback(ctx, providerConfig, flow, secrets, callback), isConsumed: true }
}

async function completeCallback(
  ctx: Context,
  providerConfig: ProviderConfig,
  flow: ProviderFlow,
  secrets: FlowSecrets,
  callback: ProviderCallback,
): Promise<CompletedFlow | FlowFailure> {
  const { purpose, provider } = flow
  if (flow.expiresAt <= ctx.clock.now()) return { error: 'expired', purpose }
  const claims = await fetchClaims(ctx, provider, providerConfig, callback.search, secrets)
  if (typeof claims === 'string') return { error: claims, purpose }
  try {
    return await ctx.db.transaction((tx) => completeFlow(ctx, tx, flow, claims, callback))
  } catch (error) {
    if (error instanceof FlowRejected) return { error: error.error, purpose }
    // The account is suspended, or the session has ended in the meantime.
    if (error instanceof Refusal) return { error: 'failed', purpose }
    throw error
  }
}

/** Error codes for a sign-in that the user cancelled, from RFC 6749 and from LinkedIn. */
const DENIALS = new Set(['access_denied', 'user_cancelled_login', 'user_cancelled_authorize'])

async function fetchClaims(
  ctx: Context,
  provider: IdentityProvider,
  providerConfig: ProviderConfig,
  search: string,
  secrets: FlowSecrets,
): Promise<ProviderClaims | ProviderError> {
  // The configured URL is used, because the Host header of the request is not trusted.
  const callbackUrl = new URL(search, formatRedirectUri(ctx, provider))
  try {
    return await readClaims(provider, providerConfig, callbackUrl, secrets)
  } catch (error) {
    if (error instanceof AuthorizationResponseError && DENIALS.has(error.error)) return 'denied'
    logProviderError(ctx, provider, error)
    return 'failed'
  }
}

/**
 * Logs a failed provider sign-in. Errors of the library can contain codes and tokens, so only the
 * message and the error code are logged.
 */
function logProviderError(ctx: Context, provider: IdentityProvider, error: unknown): null {
  const reason = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  ctx.logger.warn({ provider, reason, code }, 'a provider sign-in failed')
  return null
}
