import { activityGroups, type endpoints } from '@tocsin/protocol'
import { getNetwork } from '../../http/network.ts'
import { type Handler, requireActor } from '../../http/route.ts'
import { getAccount } from '../sessions/account-store.ts'
import { readBrowser } from '../sessions/browser.ts'
import { describeDevice } from '../sessions/device.ts'
import { createDeviceCookie } from '../sessions/known-device.ts'
import { listAddresses } from '../sessions/linked-wallets.ts'
import { presentSessionUser, presentSignIn } from '../sessions/present.ts'
import { findPendingSession, presentPending } from '../sessions/second-factor.ts'
import { readToken } from '../sessions/secret.ts'
import { getCookieName } from '../sessions/session.ts'
import { setDeviceCookie, setSessionCookies } from '../sessions/start-session.ts'
import { confirmWithPassword } from './confirm.ts'
import { withConstantTime } from './constant-time.ts'
import { presentActivity, presentAddedAccess } from './present.ts'
import * as resets from './reset-password.ts'
import { signIn, signOut } from './service.ts'
import * as signUps from './sign-up.ts'
import { listActivities } from './store.ts'
import * as verification from './verify-email.ts'

type Endpoints = typeof endpoints

export const register: Handler<Endpoints['register']> = async (ctx, { body, request }) => {
  const { network, userAgent } = readBrowser(ctx, request)
  await withConstantTime(() => signUps.register(ctx, body, { network, device: describeDevice(userAgent) }))
  return { success: true, message: 'Check your email: we have sent a message to this address.' }
}

export const resendVerification: Handler<Endpoints['resendVerification']> = async (ctx, { body, request }) => {
  await withConstantTime(() => signUps.resendVerification(ctx, body.email, getNetwork(request.ip)))
  return { success: true, message: 'If this address is waiting to be verified, a new link is on its way.' }
}

export const forgotPassword: Handler<Endpoints['forgotPassword']> = async (ctx, { body, request }) => {
  await withConstantTime(() => resets.requestPasswordReset(ctx, body.email, readBrowser(ctx, request)))
  return { success: true, message: 'If an account has this address, a link to reset its password is on its way.' }
}

/** Responds with 200 even if the link is invalid, because the page shows the state of the link. */
export const checkResetLink: Handler<Endpoints['checkResetLink']> = async (ctx, { body }) => {
  const link = await resets.checkResetLink(ctx, readToken(body.token))
  if (link.state === 'good') {
    const { minLength, waysIn } = link
    return {
      success: true,
      expired: false,
      message: 'Choose a new password.',
      minLength,
      waysIn: presentAddedAccess(waysIn),
    }
  }
  const nothing = {
    minLength: ctx.config.resetPasswordMinLength,
    waysIn: { identities: [], wallets: [], destinations: [], factors: [] },
  }
  return { success: false, expired: link.state === 'expired', message: resets.linkFaults[link.state], ...nothing }
}

export const resetPassword: Handler<Endpoints['resetPassword']> = async (ctx, { body, request }) => {
  const passwordReset = { ...body, token: readToken(body.token) }
  const waysIn = await resets.resetPassword(ctx, passwordReset, readBrowser(ctx, request))
  const hasPasskey = waysIn.factors.some(({ kind }) => kind === 'passkey')
  const sentences = [
    'Your password has been changed, and all sessions have ended. You can sign in with it now.',
    ...(hasPasskey
      ? ['To sign in with a passkey alone again, first use it once together with your new password.']
      : []),
  ]
  return { success: true, message: sentences.join(' '), waysIn: presentAddedAccess(waysIn) }
}

export const verifyEmail: Handler<Endpoints['verifyEmail']> = async (ctx, { query, actor, request, reply }) => {
  // Programs and old browsers do not send this header, so a missing one counts as `same-origin`.
  const { 'sec-fetch-site': from = 'same-origin' } = request.headers
  const browser = readBrowser(ctx, request)
  const linkOpening = { actor, browser, isOwnPage: from === 'same-origin' }
  const { outcome, signedIn: session } = await verification.verifyEmail(ctx, readToken(query.token), linkOpening)
  const response = {
    success: !failedVerifications.includes(outcome),
    expired: expiredVerifications.includes(outcome),
    ...(outcome === 'sign-up-expired' ? { signUpAgain: true } : {}),
    message: verificationMessages[outcome],
  }
  if (outcome === 'changed' && actor) {
    // Device cookies are bound to the address, so this browser needs one for the new address.
    const { email } = await getAccount(ctx.db, actor.accountId)
    if (email) setDeviceCookie(ctx, reply, createDeviceCookie(ctx.config, email, browser.deviceCookie))
  }
  if (!session) return response
  setSessionCookies(ctx, reply, session)
  const { user } = await presentSignIn(ctx, session)
  return { ...response, ...(user ? { user } : {}) }
}

const expiredVerifications: readonly verification.VerificationOutcome[] = [
  'sign-up-expired',
  'change-expired',
  'expired',
]
const failedVerifications: readonly verification.VerificationOutcome[] = [
  ...expiredVerifications,
  'invalid',
  'taken',
  'not-the-account',
]

const verificationMessages: Record<verification.VerificationOutcome, string> = {
  'signed-in': 'Your email address is confirmed, and you are signed in.',
  'signed-in-elsewhere':
    'Your email address is confirmed, and you are signed in. If you did not choose the password of this account ' +
    'yourself, log out and set your own with “Forgot password” first.',
  verified: 'Your email address is confirmed. You can sign in now.',
  changed: 'Your new email address is confirmed. Sign in with it from now on.',
  'sign-up-expired': 'This verification link and your sign-up have expired. Please sign up again.',
  'change-expired': 'This verification link has expired. Sign in, then change your address again under Settings.',
  expired: 'This verification link has expired. Choose “Forgot password” to get a new one.',
  invalid: 'This verification link is invalid, was already used, or has expired. If you cannot log in, sign up again.',
  taken: 'This address already has an account. Sign in, or choose “Forgot password” if you do not know its password.',
  'without-password': 'Your email address is confirmed. Choose a password with “Forgot password” to sign in.',
  'not-the-account': 'Sign in to the account that asked for this address, then open the link in the email again.',
}

export const login: Handler<Endpoints['login']> = async (ctx, { body, request, reply }) => {
  const signedInNow = await signIn(ctx, {
    email: body.email,
    password: body.password,
    rememberMe: body.rememberMe ?? false,
    ...readBrowser(ctx, request),
  })
  if (!signedInNow) {
    const message = 'Please verify your email address first. We have sent you a link.'
    return { success: false, requiresVerification: true, message }
  }
  setSessionCookies(ctx, reply, signedInNow)
  return presentSignIn(ctx, signedInNow)
}

export const confirm: Handler<Endpoints['confirm']> = async (ctx, input) => {
  const { body, request, reply } = input
  const session = await confirmWithPassword(ctx, requireActor(input), body.password, readBrowser(ctx, request))
  session.setCookie(reply)
  return { success: true, message: 'Confirmed' }
}

/** The route guard has already checked that the session was confirmed recently. */
export const checkConfirmed: Handler<Endpoints['checkConfirmed']> = async () => ({
  success: true,
  message: 'Confirmed',
})

export const logout: Handler<Endpoints['logout']> = async (ctx, { request }) => {
  const sessionCookie = request.cookies[getCookieName(ctx.config)]
  if (sessionCookie) await signOut(ctx, sessionCookie)
  return { success: true, message: 'Signed out' }
}

export const currentUser: Handler<Endpoints['currentUser']> = async (ctx, { actor, request }) => {
  if (!actor) {
    const pendingSession = await findPendingSession(ctx, request.cookies[getCookieName(ctx.config)])
    return {
      success: false,
      user: null,
      ...(pendingSession ? { awaitedFactor: await presentPending(ctx, pendingSession) } : {}),
    }
  }
  const { mustEnrol, provedWallets } = actor
  const account = await getAccount(ctx.db, actor.accountId)
  const wallets = await listAddresses(ctx.db, actor.accountId)
  return { success: true, user: presentSessionUser(account, { mustEnrol, wallets, provedWallets }) }
}

export const listActivity: Handler<Endpoints['listActivity']> = async (ctx, input) => {
  const { group, cursor, limit } = input.query
  const kinds = group && activityGroups[group]
  const beforeId = cursor === undefined ? undefined : Number(cursor)
  const rows = await listActivities(ctx.db, requireActor(input).accountId, { kinds, beforeId, limit })
  return rows.map(presentActivity)
}
