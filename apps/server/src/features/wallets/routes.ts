import type { endpoints } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { type Handler, requireActor } from '../../http/route.ts'
import { readBrowser } from '../sessions/browser.ts'
import { presentSignIn } from '../sessions/present.ts'
import { createCookieOptions, getCookieName } from '../sessions/session.ts'
import { setSessionCookies } from '../sessions/start-session.ts'
import * as service from './service.ts'
import { createSignInChallenge, signInWithWallet } from './sign-in.ts'
import { CHALLENGE_LIFETIME_MS } from './wallet-challenge.ts'

type Endpoints = typeof endpoints

export const createChallenge: Handler<Endpoints['createChallenge']> = async (ctx, input) => {
  const { walletAddress, purpose } = input.body
  const { message, expiresAt } = await service.createChallenge(ctx, requireActor(input), walletAddress, purpose)
  return { message, expiresAt: expiresAt.toISOString() }
}

export const proveWallet: Handler<Endpoints['proveWallet']> = async (ctx, input) => {
  const { address, session } = await service.proveWallet(ctx, requireActor(input), input.body)
  session.setCookie(input.reply)
  return { success: true, walletAddress: address }
}

export const confirmWallet: Handler<Endpoints['confirmWallet']> = async (ctx, input) => {
  const session = await service.confirmWithWallet(ctx, requireActor(input), input.body)
  session.setCookie(input.reply)
  return { success: true, message: 'Confirmed' }
}

export const unlinkWallet: Handler<Endpoints['unlinkWallet']> = async (ctx, input) => {
  await service.unlinkWallet(ctx, requireActor(input), input.params.address)
  return { success: true, message: 'The wallet is no longer linked, and all other sessions have ended.' }
}

export const walletSignInChallenge: Handler<Endpoints['walletSignInChallenge']> = async (ctx, { body, reply }) => {
  const { message, expiresAt, browser } = await createSignInChallenge(ctx, body.walletAddress, body.chainId)
  reply.setCookie(getBrowserCookieName(ctx), browser, createCookieOptions(ctx.config, CHALLENGE_LIFETIME_MS))
  return { message, expiresAt: expiresAt.toISOString() }
}

export const walletSignIn: Handler<Endpoints['walletSignIn']> = async (ctx, { body, request, reply }) => {
  const entry = { browser: readBrowser(ctx, request), rememberMe: body.rememberMe ?? false }
  const session = await signInWithWallet(ctx, body, request.cookies[getBrowserCookieName(ctx)], entry)
  reply.clearCookie(getBrowserCookieName(ctx), createCookieOptions(ctx.config, null))
  setSessionCookies(ctx, reply, session)
  return presentSignIn(ctx, session)
}

function getBrowserCookieName({ config }: Context): string {
  return `${getCookieName(config)}-wallet`
}

export const findWalletUser: Handler<Endpoints['findWalletUser']> = (ctx, input) =>
  service.getWalletUser(ctx, requireActor(input), input.params.walletAddress)

export const createWalletUser: Handler<Endpoints['createWalletUser']> = async (_ctx, input) =>
  service.claimWalletUser(requireActor(input), input.body.walletAddress)
