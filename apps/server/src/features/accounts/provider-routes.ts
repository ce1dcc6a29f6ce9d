import type { endpoints, IdentityProvider } from '@tocsin/protocol'
import type { FastifyReply } from 'fastify'
import type { Context } from '../../context.ts'
import { type Handler, type Input, requireActor } from '../../http/route.ts'
import { readBrowser } from '../sessions/browser.ts'
import { createCookieOptions } from '../sessions/session.ts'
import { setSessionCookies } from '../sessions/start-session.ts'
import { FLOW_LIFETIME_MS, getFlowCookieName } from './provider-flow.ts'
import { type FlowFailure, finishFlow, startFlow } from './provider-sign-in.ts'
import * as identity from './unlink-identity.ts'

type Endpoints = typeof endpoints

export const googleSignIn: Handler<Endpoints['googleSignIn']> = (ctx, input) =>
  startProviderSignIn(ctx, input, 'google')
export const googleCallback: Handler<Endpoints['googleCallback']> = (ctx, input) =>
  finishProviderSignIn(ctx, input, 'google')
export const linkedinSignIn: Handler<Endpoints['linkedinSignIn']> = (ctx, input) =>
  startProviderSignIn(ctx, input, 'linkedin')
export const linkedinCallback: Handler<Endpoints['linkedinCallback']> = (ctx, input) =>
  finishProviderSignIn(ctx, input, 'linkedin')

async function startProviderSignIn(
  ctx: Context,
  { query, actor, reply }: Input<Endpoints['googleSignIn']>,
  provider: IdentityProvider,
): Promise<undefined> {
  const { purpose = 'sign-in', returnTo } = query
  const startedFlow = await startFlow(ctx, actor, provider, { purpose, returnTo })
  if ('error' in startedFlow) return redirectWithError(reply, startedFlow)
  reply.setCookie(getFlowCookieName(ctx.config), startedFlow.browser, createCookieOptions(ctx.config, FLOW_LIFETIME_MS))
  reply.redirect(startedFlow.url)
}

async function finishProviderSignIn(
  ctx: Context,
  { actor, request, reply }: Input<Endpoints['googleCallback']>,
  provider: IdentityProvider,
): Promise<undefined> {
  const name = getFlowCookieName(ctx.config)
  const { search } = new URL(request.url, ctx.config.http.publicUrl)
  const cookie = request.cookies[name]
  const callback = { search, cookie, actor, browser: readBrowser(ctx, request) }
  const { end, isConsumed } = await finishFlow(ctx, provider, callback)
  if (isConsumed) reply.clearCookie(name, createCookieOptions(ctx.config, null))
  if ('error' in end) return redirectWithError(reply, end)
  if ('signedIn' in end) setSessionCookies(ctx, reply, end.signedIn)
  else end.renewed.setCookie(reply)
  reply.redirect(end.returnTo)
}

function redirectWithError(reply: FastifyReply, { error, purpose }: FlowFailure): undefined {
  reply.redirect(`${purpose === 'sign-in' ? '/auth' : '/settings'}?provider_error=${error}`)
}

export const unlinkIdentity: Handler<Endpoints['unlinkIdentity']> = async (ctx, input) => {
  await identity.unlinkIdentity(ctx, requireActor(input), input.params.provider)
  return {
    success: true,
    message: `${identity.providerNames[input.params.provider]} is no longer linked, and all other sessions have ended.`,
  }
}
