import { setTimeout as delay } from 'node:timers/promises'
import type { endpoints } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { type Handler, type Input, signedIn } from '../../http/route.ts'
import { DEVICE_LIFETIME_MS, deviceCookieName } from './known-device.ts'
import * as links from './mailed-links.ts'
import { presentActivity, presentSessionUser } from './present.ts'
import { signIn, signOut } from './service.ts'
import { cookieName, sessionCookieOptions } from './session.ts'
import { getAccount, listActivities } from './store.ts'

/** The wallets that an account has proved, checksummed. */
export type ListWallets = (ctx: Context, accountId: string) => Promise<string[]>

type Endpoints = typeof endpoints
type Answer<N extends keyof Endpoints> = ReturnType<Handler<Endpoints[N]>>

export const register: Handler<Endpoints['register']> = async (ctx, { body }) => {
  await inEvenTime(() => links.register(ctx, body))
  return { success: true, message: 'Check your mail: we have sent a message to this address.' }
}

export const resendVerification: Handler<Endpoints['resendVerification']> = async (ctx, { body }) => {
  await inEvenTime(() => links.resendVerification(ctx, body.email))
  return { success: true, message: 'If this address waits to be confirmed, a new link is on its way.' }
}

export const forgotPassword: Handler<Endpoints['forgotPassword']> = async (ctx, { body }) => {
  await inEvenTime(() => links.requestPasswordReset(ctx, body.email))
  return { success: true, message: 'If an account has this address, a link to reset its password is on its way.' }
}

export const resetPassword: Handler<Endpoints['resetPassword']> = async (ctx, { body }) => {
  await links.resetPassword(ctx, body)
  return { success: true, message: 'Your password has been changed. You can sign in with it now.' }
}

export const verifyEmail: Handler<Endpoints['verifyEmail']> = async (ctx, { query }) => {
  const outcome = await links.verifyEmail(ctx, query.token)
  return { success: outcome === 'verified', expired: outcome === 'expired', message: verificationMessages[outcome] }
}

const verificationMessages = {
  verified: 'Your email address is confirmed. You can sign in now.',
  expired: 'This verification link has expired. Please request a new one.',
  invalid: 'This verification link is invalid or was already used.',
}

export async function login(
  ctx: Context,
  { body, request, reply }: Input<Endpoints['login']>,
  listWallets: ListWallets,
): Answer<'login'> {
  const session = cookieName(ctx.config)
  const device = deviceCookieName(ctx.config)
  const signedInNow = await signIn(ctx, {
    email: body.email,
    password: body.password,
    rememberMe: body.rememberMe ?? false,
    userAgent: request.headers['user-agent'] ?? '',
    deviceCookie: request.cookies[device],
    sessionCookie: request.cookies[session],
  })
  if (!signedInNow) {
    const message = 'Please confirm your email address first. We have sent you a link.'
    return { success: false, requiresVerification: true, message }
  }
  const { account, sessionCookie, deviceCookie, maxAgeMs } = signedInNow
  reply.setCookie(session, sessionCookie, sessionCookieOptions(ctx.config, maxAgeMs))
  reply.setCookie(device, deviceCookie, sessionCookieOptions(ctx.config, DEVICE_LIFETIME_MS))
  const user = presentSessionUser(account, await listWallets(ctx, account.id), [])
  return { success: true, requiresVerification: false, message: 'Signed in', user }
}

export const logout: Handler<Endpoints['logout']> = async (ctx, { request, reply }) => {
  const name = cookieName(ctx.config)
  const sessionCookie = request.cookies[name]
  if (sessionCookie) await signOut(ctx, sessionCookie)
  reply.clearCookie(name, sessionCookieOptions(ctx.config, null))
  return { success: true, message: 'Signed out' }
}

export async function currentUser(
  ctx: Context,
  { actor }: Input<Endpoints['currentUser']>,
  listWallets: ListWallets,
): Answer<'currentUser'> {
  if (!actor) return { success: false, user: null }
  const account = await getAccount(ctx.db, actor.accountId)
  const wallets = await listWallets(ctx, actor.accountId)
  return { success: true, user: presentSessionUser(account, wallets, actor.provedWallets) }
}

export const listActivity: Handler<Endpoints['listActivity']> = async (ctx, input) => {
  const rows = await listActivities(ctx.db, signedIn(input).accountId, input.query.limit)
  return rows.map(presentActivity)
}

const EVEN_TIME_MS = 300

/** Answers after the same time, so that it does not tell whether there was something to do. */
async function inEvenTime(work: () => Promise<void>): Promise<void> {
  const [outcome] = await Promise.allSettled([work(), delay(EVEN_TIME_MS)])
  if (outcome.status === 'rejected') throw outcome.reason
}
