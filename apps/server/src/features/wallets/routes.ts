import type { endpoints } from '@tocsin/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { type Handler, type Input, signedIn } from '../../http/route.ts'
import * as service from './service.ts'
import { createSignInChallenge, signInWithWallet } from './sign-in.ts'
import { CHALLENGE_LIFETIME_MS } from './wallet-challenge.ts'

type Endpoints = typeof endpoints
type Answer<N extends keyof Endpoints> = ReturnType<Handler<Endpoints[N]>>

interface Renewed {
  idHash: string
  setCookie(reply: FastifyReply): void
}

export const createChallenge: Handler<Endpoints['createChallenge']> = async (ctx, input) => {
  const { walletAddress, purpose } = input.body
  const { message, expiresAt } = await service.createChallenge(ctx, signedIn(input), walletAddress, purpose)
  return { message, expiresAt: expiresAt.toISOString() }
}

export async function proveWallet(
  ctx: Context,
  input: Input<Endpoints['proveWallet']>,
  renewSession: service.RenewSession<Renewed>,
): Answer<'proveWallet'> {
  const { address, session } = await service.proveWallet(ctx, signedIn(input), input.body, renewSession)
  session.setCookie(input.reply)
  return { success: true, walletAddress: address }
}

export async function confirmWallet(
  ctx: Context,
  input: Input<Endpoints['confirmWallet']>,
  renewSession: service.RenewSession<Renewed>,
): Answer<'confirmWallet'> {
  const session = await service.confirmWithWallet(ctx, signedIn(input), input.body, renewSession)
  session.setCookie(input.reply)
  return { success: true, message: 'Confirmed' }
}

export async function unlinkWallet(
  ctx: Context,
  input: Input<Endpoints['unlinkWallet']>,
  removeWayIn: service.RemoveWayIn,
): Answer<'unlinkWallet'> {
  await service.unlinkWallet(ctx, signedIn(input), input.params.address, removeWayIn)
  return { success: true, message: 'The wallet is no longer linked, and all other sessions have ended.' }
}

/** Account functions that wallet sign-in needs. */
export interface SignInOfAccounts<Session extends { sessionIdHash: string }> {
  createAccount(ctx: Context, tx: Tx, name: string): Promise<string>
  startSession(
    ctx: Context,
    tx: Tx,
    accountId: string,
    request: FastifyRequest,
    entry: { way: string; rememberMe: boolean },
  ): Promise<Session>
  /** Sets the session cookies and returns the signed-in user. */
  answer(ctx: Context, reply: FastifyReply, session: Session): Answer<'walletSignIn'>
  cookieName(config: Config): string
  cookieOptions(config: Config, maxAgeMs: number | null): { path: string; maxAge?: number }
}

export async function walletSignInChallenge<Session extends { sessionIdHash: string }>(
  ctx: Context,
  { body, reply }: Input<Endpoints['walletSignInChallenge']>,
  accounts: SignInOfAccounts<Session>,
): Answer<'walletSignInChallenge'> {
  const { message, expiresAt, browser } = await createSignInChallenge(ctx, body.walletAddress, body.chainId)
  const { config } = ctx
  reply.setCookie(browserCookieName(ctx, accounts), browser, accounts.cookieOptions(config, CHALLENGE_LIFETIME_MS))
  return { message, expiresAt: expiresAt.toISOString() }
}

export async function walletSignIn<Session extends { sessionIdHash: string }>(
  ctx: Context,
  { body, request, reply }: Input<Endpoints['walletSignIn']>,
  accounts: SignInOfAccounts<Session>,
): Answer<'walletSignIn'> {
  const entry = { way: 'wallet', rememberMe: body.rememberMe ?? false }
  const session = await signInWithWallet(
    ctx,
    {
      createAccount: (tx, name) => accounts.createAccount(ctx, tx, name),
      startSession: (tx, accountId) => accounts.startSession(ctx, tx, accountId, request, entry),
    },
    body,
    request.cookies[browserCookieName(ctx, accounts)],
  )
  reply.clearCookie(browserCookieName(ctx, accounts), accounts.cookieOptions(ctx.config, null))
  return accounts.answer(ctx, reply, session)
}

function browserCookieName({ config }: Context, accounts: Pick<SignInOfAccounts<never>, 'cookieName'>): string {
  return `${accounts.cookieName(config)}-wallet`
}

export const findWalletUser: Handler<Endpoints['findWalletUser']> = (ctx, input) =>
  service.getWalletUser(ctx, signedIn(input), input.params.walletAddress)

export const createWalletUser: Handler<Endpoints['createWalletUser']> = async (_ctx, input) =>
  service.claimWalletUser(signedIn(input), input.body.walletAddress)
