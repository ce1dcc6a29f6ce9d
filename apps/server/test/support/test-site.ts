import fastifyCookie from '@fastify/cookie'
import { endpoints, pollHeader } from '@tocsin/protocol'
import {
  type ConfigOverrides,
  createTestContext,
  type FakeClock,
  fakeClock,
  startTestDatabase,
  type TestContext,
  testConfig,
} from '@tocsin/testkit'
import { operator } from '../../src/audit-log.ts'
import { changeRole } from '../../src/features/accounts/admin-routes.ts'
import { createFirstAdmin } from '../../src/features/accounts/first-admin-routes.ts'
import * as own from '../../src/features/accounts/own-account-routes.ts'
import type { PasswordCost } from '../../src/features/accounts/password.ts'
import * as handlers from '../../src/features/accounts/routes.ts'
import { createAccount } from '../../src/features/accounts/service.ts'
import { listAudit } from '../../src/features/audit/routes.ts'
import { issueEnrolmentCode } from '../../src/features/factors/enrolment-code.ts'
import * as passkeys from '../../src/features/factors/passkey-routes.ts'
import * as factors from '../../src/features/factors/routes.ts'
import { getAccount } from '../../src/features/sessions/account-store.ts'
import { proposeChange } from '../../src/features/settings/protected-routes.ts'
import { changeChain } from '../../src/features/settings/routes.ts'
import { createApp, isPoll } from '../../src/http/app.ts'
import { route } from '../../src/http/route.ts'
import { findActor } from './find-actor.ts'

export const ORIGIN = 'http://localhost:3000'
export const PASSWORD = 'tern-ocelot-7'

export type Cookies = Record<string, string>
export type Answer = Awaited<ReturnType<Site['call']>>
export type Site = Awaited<ReturnType<typeof startSite>>

/**
 * Serves the account endpoints for tests, with a real database, a fake clock and captured emails.
 */
export async function startSite(passwordCost?: PasswordCost, settings: ConfigOverrides = {}) {
  const server = await startTestDatabase()
  const clock: FakeClock = fakeClock()
  const firstAdmin = { email: 'root@example.com', password: 'operator-pass-1' }
  const config = testConfig({
    databaseUrl: await server.createDatabase(),
    firstAdmin,
    mail: { smtpUrl: 'smtp://127.0.0.1:9' },
    ...settings,
  })
  const { ctx, mails, close }: TestContext = await createTestContext(config, clock, passwordCost)
  const routes = [
    route(endpoints.register, handlers.register),
    route(endpoints.login, handlers.login),
    route(endpoints.logout, handlers.logout),
    route(endpoints.resendVerification, handlers.resendVerification),
    route(endpoints.forgotPassword, handlers.forgotPassword),
    route(endpoints.resetPassword, handlers.resetPassword),
    route(endpoints.checkResetLink, handlers.checkResetLink),
    route(endpoints.verifyEmail, handlers.verifyEmail),
    route(endpoints.confirm, handlers.confirm),
    route(endpoints.currentUser, handlers.currentUser),
    route(endpoints.listActivity, handlers.listActivity),
    route(endpoints.createFirstAdmin, createFirstAdmin),
    route(endpoints.completeSignIn, factors.completeSignIn),
    route(endpoints.confirmFactor, factors.confirmFactor),
    route(endpoints.cancelFactorReset, factors.cancelFactorReset),
    route(endpoints.cancelOwnFactorReset, factors.cancelOwnFactorReset),
    route(endpoints.requestFactorReset, factors.requestFactorReset),
    route(endpoints.cancelUserFactorReset, factors.cancelUserFactorReset),
    route(endpoints.passkeySignInOptions, passkeys.passkeySignInOptions),
    route(endpoints.passkeySignIn, passkeys.passkeySignIn),
    route(endpoints.passkeyConfirmOptions, passkeys.passkeyConfirmOptions),
    route(endpoints.confirmPasskey, passkeys.confirmPasskey),
    route(endpoints.passkeyOptions, passkeys.passkeyOptions),
    route(endpoints.addPasskey, passkeys.addPasskey),
    route(endpoints.renamePasskey, passkeys.renamePasskey),
    route(endpoints.removePasskey, passkeys.removePasskey),
    route(endpoints.checkConfirmed, handlers.checkConfirmed),
    route(endpoints.findFactors, factors.findFactors),
    route(endpoints.useEnrolmentCode, factors.useEnrolmentCode),
    route(endpoints.issueEnrolmentCode, factors.issueEnrolmentCode),
    route(endpoints.startTotp, factors.startTotp),
    route(endpoints.confirmTotp, factors.confirmTotp),
    route(endpoints.removeTotp, factors.removeTotp),
    route(endpoints.replaceRecoveryCodes, factors.replaceRecoveryCodes),
    route(endpoints.listAudit, listAudit),
    route(endpoints.changeRole, changeRole),
    route(endpoints.proposeChange, proposeChange),
    route(endpoints.changeChain, changeChain),
    route(endpoints.findAccount, own.findAccount),
    route(endpoints.changeName, own.changeName),
    route(endpoints.changeEmail, own.changeEmail),
    route(endpoints.changePassword, own.changePassword),
    route(endpoints.listSessions, own.listSessions),
    route(endpoints.endSession, own.endSession),
    route(endpoints.endOtherSessions, own.endOtherSessions),
    route(endpoints.exportAccount, own.exportAccount),
    route(endpoints.deleteAccount, own.deleteAccount),
  ]
  const app = await createApp(ctx, routes, (caller) =>
    findActor(ctx, fastifyCookie.parse(caller.headers.cookie ?? '').tocsin, isPoll(caller)),
  )
  let callerCount = 0
  let accountCount = 0

  /**
   * Calls an endpoint. Unless `from` is given, the IP address is a new one, so that only limits per
   * account apply.
   */
  async function call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    payload?: object,
    cookies: Cookies = {},
    from?: { ip?: string; userAgent?: string; isPoll?: boolean },
  ) {
    callerCount += 1
    const remoteAddress = from?.ip ?? `10.0.${callerCount >> 8}.${callerCount & 255}`
    const agentHeader = from?.userAgent ? { 'user-agent': from.userAgent } : {}
    const pollHeaders = from?.isPoll ? { [pollHeader]: '1' } : {}
    const headers = { ...(method === 'GET' ? {} : { origin: ORIGIN }), ...agentHeader, ...pollHeaders }
    const answer = await app.inject({ method, url, headers, cookies, remoteAddress, ...(payload ? { payload } : {}) })
    const { statusCode, body, headers: responseHeaders, cookies: setCookies } = answer
    return { status: statusCode, body: answer.json(), text: body, headers: responseHeaders, cookies: setCookies }
  }
  const post = (path: string, payload: object, cookies?: Cookies) => call('POST', `/api/auth/${path}`, payload, cookies)
  const get = (path: string, cookies?: Cookies) => call('GET', `/api/${path}`, undefined, cookies)

  /** Creates a code with which the staff account can enrol its first second factor. */
  async function issueCode(id: string): Promise<string> {
    const issued = await ctx.db.transaction(async (tx) =>
      issueEnrolmentCode(ctx, tx, await getAccount(tx, id), operator),
    )
    return issued?.code ?? ''
  }

  async function createTestAccount(verified = true): Promise<{ email: string; id: string }> {
    accountCount += 1
    const email = `person${accountCount}@example.com`
    const name = `Person ${accountCount}`
    return { email, id: await createAccount(ctx, { email, name, password: PASSWORD, role: 'user', verified }) }
  }

  /** Signs in. Returns the cookies of the successful sign-in. */
  async function signInAs(email: string, password = PASSWORD, rememberMe = false): Promise<Cookies> {
    const { status, text, body, cookies } = await post('login', { email, password, rememberMe })
    if (status !== 200 || !body.success) throw new Error(`${email} could not sign in: ${text}`)
    return Object.fromEntries(cookies.map(({ name, value }) => [name, value]))
  }

  /** Returns the newest emailed link. */
  function lastLink(): { url: URL; token: string } {
    const links = mails.flatMap(({ text }) => text.match(/http\S+token=\S+/) ?? [])
    const url = new URL(links.at(-1) ?? `${ORIGIN}/no-link-yet`)
    return { url, token: url.searchParams.get('token') ?? '' }
  }

  /** Signs up. `token` is that of the newest emailed link, regardless of the recipient. */
  async function signUp(email: string, password = PASSWORD, from?: { ip: string }) {
    const body = { email, password, name: 'New Person' }
    const answer = await call('POST', '/api/auth/register', body, {}, from)
    return { ...answer, token: lastLink().token }
  }

  /** Requests a reset link and returns its token. */
  async function requestResetToken(email: string): Promise<string> {
    await post('forgot-password', { email })
    return lastLink().token
  }

  async function stop(): Promise<void> {
    await app.close()
    await close()
    await server.stop()
  }
  return {
    app,
    ctx,
    mails,
    clock,
    call,
    post,
    get,
    createTestAccount,
    issueCode,
    signInAs,
    signUp,
    lastLink,
    requestResetToken,
    stop,
  }
}

/** Returns the parts of a response that an attacker could compare, without request id and time. */
export function pickComparable({ status, text, headers }: Answer) {
  const ignoredHeaders = ['x-request-id', 'date', 'x-ratelimit-reset', 'x-ratelimit-remaining']
  const kept = Object.entries(headers).filter(([name]) => !ignoredHeaders.includes(name))
  return { status, text: text.replace(/"requestId":"[^"]+"/, ''), headers: kept }
}
