import type { AwaitedFactor } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import type { FastifyReply } from 'fastify'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import type { Account } from './account-store.ts'
import type { Browser } from './browser.ts'
import { describeDevice } from './device.ts'
import { createDeviceCookie, DEVICE_LIFETIME_MS, getDeviceCookieName } from './known-device.ts'
import { notifyNewDevice } from './new-device.ts'
import { listFactorMethods } from './second-factor.ts'
import { createSecret, hashSecret } from './secret.ts'
import { createCookieOptions, getCookieName, getSessionLifetimeMs } from './session.ts'
import { deleteSession, deleteSessionsBeyond, insertSession } from './store.ts'

/** How the user signed in. */
export interface Entry {
  /** Sign-in method as shown to the account owner: "password", "Google", … */
  way: string
  rememberMe: boolean
  /** Set if the sign-in itself is a second factor, as with a passkey. */
  factor?: string
  /** Set if this session may enrol the first second factor of a member of staff. */
  mayEnrol?: boolean
}

/**
 * A new session and the values of its cookies. `maxAgeMs` is null for a cookie that ends with the
 * browser.
 */
export interface SignedIn {
  account: Account
  sessionIdHash: string
  sessionCookie: string
  /** Null for an account without an address: device cookies are bound to an address. */
  deviceCookie: string | null
  maxAgeMs: number | null
  /** Set if the session grants nothing until the user presents a second factor. */
  awaitedFactor: AwaitedFactor | null
  hasFactor: boolean
}

const MAX_USER_AGENT_LENGTH = 300
/**
 * Maximum number of sessions of an account. Another sign-in ends the least recently used session.
 */
export const MAX_SESSIONS = 100
/** Maximum time between a sign-in and its second factor. */
const FACTOR_TIMEOUT_MS = 10 * MINUTE_MS

/**
 * Starts a session for an authenticated user, with a new random id. If the account has a second
 * factor, the session grants nothing until `completeSession`.
 * @throws Refusal account_suspended
 */
export async function startSession(
  ctx: Context,
  tx: Tx,
  account: Account,
  browser: Browser,
  { way, rememberMe, factor, mayEnrol = false }: Entry,
): Promise<SignedIn> {
  if (account.suspendedAt) {
    throw new Refusal('account_suspended', 'This account is suspended. Write to support if you think it should not be.')
  }
  const now = ctx.clock.now()
  const methods = await listFactorMethods(tx, account.id)
  const hasFactor = methods.length > 0
  const awaitsFactorUntil = hasFactor && !factor ? new Date(now.getTime() + FACTOR_TIMEOUT_MS) : null
  const lifetimeMs = awaitsFactorUntil ? FACTOR_TIMEOUT_MS : getSessionLifetimeMs(account.role)
  const sessionCookie = createSecret()
  const sessionIdHash = hashSecret(sessionCookie)
  // The previous session of this browser is ended, so that a planted or stolen cookie is useless
  // (session fixation).
  if (browser.sessionCookie) await endSession(ctx, tx, browser.sessionCookie)
  await insertSession(tx, {
    idHash: sessionIdHash,
    accountId: account.id,
    remembered: rememberMe,
    userAgent: browser.userAgent.slice(0, MAX_USER_AGENT_LENGTH),
    network: browser.network,
    createdAt: now,
    authenticatedAt: now,
    lastSeenAt: now,
    expiresAt: new Date(now.getTime() + lifetimeMs),
    awaitsFactorUntil,
    method: way,
    factor: factor ?? null,
    factorAt: null,
    mayEnrol,
  })
  const startedSession = { account, sessionIdHash, sessionCookie, hasFactor }
  if (awaitsFactorUntil) {
    const awaitedFactor = { methods, expiresAt: awaitsFactorUntil.toISOString() }
    return { ...startedSession, deviceCookie: null, maxAgeMs: FACTOR_TIMEOUT_MS, awaitedFactor }
  }
  return {
    ...startedSession,
    deviceCookie: await recordSignIn(ctx, tx, account, browser, way),
    maxAgeMs: rememberMe ? lifetimeMs : null,
    awaitedFactor: null,
  }
}

/**
 * Records a sign-in whose session is stored and complete. Ends the least recently used sessions of
 * an account that has more than `MAX_SESSIONS`.
 * @param method as shown to the account owner: "password and passkey"
 * @returns the device cookie, or null for an account without an address
 */
export async function recordSignIn(
  ctx: Context,
  tx: Tx,
  account: Account,
  browser: Browser,
  method: string,
): Promise<string | null> {
  const { id: accountId, email } = account
  for (const id of await deleteSessionsBeyond(tx, accountId, MAX_SESSIONS)) {
    await ctx.notifications.notify(tx, 'session', id)
  }
  await notifyNewDevice(ctx, tx, account, browser, method)
  const { userAgent, network, deviceCookie } = browser
  const detail = `Signed in by ${method}, ${describeDevice(userAgent)}`
  await recordActivity(tx, { accountId, kind: 'signed_in', detail, at: ctx.clock.now(), network })
  return email && createDeviceCookie(ctx.config, email, deviceCookie)
}

async function endSession(ctx: Context, tx: Tx, sessionCookie: string): Promise<void> {
  const id = await deleteSession(tx, hashSecret(sessionCookie))
  if (id !== undefined) await ctx.notifications.notify(tx, 'session', id)
}

/**
 * Sets the cookies of a new session. The cookie of an ended session is never cleared: it stays in
 * the browser, where it grants nothing. A response that clears it could arrive after the response
 * to a newer sign-in, and would end the newer session.
 */
export function setSessionCookies(ctx: Context, reply: FastifyReply, signedIn: SignedIn): void {
  const { config } = ctx
  reply.setCookie(getCookieName(config), signedIn.sessionCookie, createCookieOptions(config, signedIn.maxAgeMs))
  if (signedIn.deviceCookie !== null) setDeviceCookie(ctx, reply, signedIn.deviceCookie)
}

export function setDeviceCookie({ config }: Context, reply: FastifyReply, deviceCookie: string): void {
  reply.setCookie(getDeviceCookieName(config), deviceCookie, createCookieOptions(config, DEVICE_LIFETIME_MS))
}
