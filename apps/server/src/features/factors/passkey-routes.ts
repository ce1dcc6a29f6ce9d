import type { endpoints } from '@tocsin/protocol'
import { getAuditActor } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import { type Handler, requireActor } from '../../http/route.ts'
import { readBrowser } from '../sessions/browser.ts'
import { presentSignIn } from '../sessions/present.ts'
import { createCookieOptions, getCookieName } from '../sessions/session.ts'
import { setSessionCookies } from '../sessions/start-session.ts'
import { CHALLENGE_LIFETIME_MS } from './challenges.ts'
import * as service from './passkey-service.ts'

type Endpoints = typeof endpoints

const getBrowserCookieName = ({ config }: Context) => `${getCookieName(config)}-passkey`

export const passkeySignInOptions: Handler<Endpoints['passkeySignInOptions']> = async (ctx, { request, reply }) => {
  const { options, browserSecret } = await service.startSignIn(ctx, readBrowser(ctx, request))
  if (browserSecret !== null) {
    reply.setCookie(getBrowserCookieName(ctx), browserSecret, createCookieOptions(ctx.config, CHALLENGE_LIFETIME_MS))
  }
  return { ...options }
}

export const passkeySignIn: Handler<Endpoints['passkeySignIn']> = async (ctx, { body, request, reply }) => {
  const { response, rememberMe = false } = body
  const from = { browser: readBrowser(ctx, request), browserSecret: request.cookies[getBrowserCookieName(ctx)] }
  const session = await service.signInWithPasskey(ctx, { response, rememberMe }, from)
  reply.clearCookie(getBrowserCookieName(ctx), createCookieOptions(ctx.config, null))
  setSessionCookies(ctx, reply, session)
  return presentSignIn(ctx, session)
}

export const passkeyConfirmOptions: Handler<Endpoints['passkeyConfirmOptions']> = async (ctx, input) => ({
  ...(await service.startConfirmation(ctx, requireActor(input))),
})

export const confirmPasskey: Handler<Endpoints['confirmPasskey']> = async (ctx, input) => {
  const session = await service.confirmWithPasskey(ctx, requireActor(input), input.body.response)
  session.setCookie(input.reply)
  return { success: true, message: 'Confirmed' }
}

export const passkeyOptions: Handler<Endpoints['passkeyOptions']> = async (ctx, input) => ({
  ...(await service.startEnrolment(ctx, requireActor(input))),
})

export const addPasskey: Handler<Endpoints['addPasskey']> = async (ctx, input) => {
  const { recoveryCodes, session } = await service.addPasskey(ctx, requireActor(input), input.body)
  session.setCookie(input.reply)
  return { success: true, message: 'You can sign in with this passkey now.', recoveryCodes }
}

export const renamePasskey: Handler<Endpoints['renamePasskey']> = async (ctx, input) => {
  await service.renamePasskey(ctx, requireActor(input), input.params.id, input.body.name)
  return { success: true, message: 'The passkey has a new name.' }
}

export const removePasskey: Handler<Endpoints['removePasskey']> = async (ctx, input) => {
  await service.removePasskey(ctx, requireActor(input), getAuditActor(input), input.params.id)
  return { success: true, message: 'The passkey was removed, and all other sessions have ended.' }
}
