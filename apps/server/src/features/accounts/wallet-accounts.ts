import type { endpoints } from '@tocsin/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { Handler } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { readBrowser } from './browser.ts'
import { presentSessionUser } from './present.ts'
import type { ListWallets } from './routes.ts'
import { recordAccountCreated } from './service.ts'
import { cookieName, sessionCookieOptions } from './session.ts'
import { type Entry, type SignedIn, setSessionCookies, startSession } from './start-session.ts'
import { findSession, insertAccount, lockAccount } from './store.ts'

/** Account functions that wallet sign-in needs. */
export function createWalletAccounts(listWallets: ListWallets) {
  return {
    async createAccount(ctx: Context, tx: Tx, name: string): Promise<string> {
      const now = ctx.clock.now()
      const account = await insertAccount(tx, { name, role: 'user', createdAt: now })
      if (!account) throw new Error('An account without an address cannot be taken')
      await recordAccountCreated(tx, account.id, now)
      return account.id
    },
    async startSession(ctx: Context, tx: Tx, accountId: string, request: FastifyRequest, entry: Entry) {
      const account = await lockAccount(tx, accountId)
      if (!account) throw new Refusal('not_signed_in', 'This account was deleted just now.')
      return startSession(ctx, tx, account, readBrowser(ctx, request), entry)
    },
    async answer(
      ctx: Context,
      reply: FastifyReply,
      signedIn: SignedIn,
    ): ReturnType<Handler<(typeof endpoints)['walletSignIn']>> {
      setSessionCookies(ctx, reply, signedIn)
      const { account, sessionIdHash } = signedIn
      const provedWallets = (await findSession(ctx.db, { idHash: sessionIdHash }))?.provedWallets ?? []
      const user = presentSessionUser(account, await listWallets(ctx, account.id), provedWallets)
      return { success: true, requiresVerification: false, message: 'Signed in', user }
    },
    cookieName,
    cookieOptions: sessionCookieOptions,
  }
}
