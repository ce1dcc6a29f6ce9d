import type { Context, Mail } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { changeEmailMail, resetPasswordMail } from '../../mail/account-mails.ts'
import { hashSecret, newSecret } from './secret.ts'
import {
  type Account,
  consumeMailToken,
  endMailTokens,
  findMailToken,
  insertMailToken,
  lockAccount,
  type MailToken,
} from './store.ts'

type Purpose = Exclude<MailToken['purpose'], 'verify-email'>

const HOUR_MS = 3_600_000

/** Each opens a page of the site; the one that confirms an address serves a new address too. */
const links: Record<Purpose, { path: string; lifetimeMs: number; write: (to: string, url: string) => Mail }> = {
  'reset-password': { path: 'reset-password', lifetimeMs: HOUR_MS, write: resetPasswordMail },
  'change-email': { path: 'verify-email', lifetimeMs: HOUR_MS, write: changeEmailMail },
}

/** Whether its time ran out before it was used. */
export const hasExpired = (token: MailToken, now: Date) => token.usedAt === null && token.expiresAt <= now

/**
 * The mail with a link that works once. A new change of address ends the account's former one; several reset links are
 * good at the same time, because anyone can ask for one and must not end that of the owner.
 */
export async function createLinkMail(
  ctx: Context,
  tx: Tx,
  accountId: string,
  email: string,
  purpose: Purpose,
): Promise<Mail> {
  const { path, lifetimeMs, write } = links[purpose]
  const token = newSecret()
  const createdAt = ctx.clock.now()
  const expiresAt = new Date(createdAt.getTime() + lifetimeMs)
  if (purpose === 'change-email') await endMailTokens(tx, accountId, createdAt, purpose)
  await insertMailToken(tx, { tokenHash: hashSecret(token), accountId, purpose, email, createdAt, expiresAt })
  return write(email, `${ctx.config.http.publicUrl}/${path}?token=${token}`)
}

/**
 * The account of the token that this call has used up, if its address is still the one that the token was mailed to. The
 * account is locked first, as everywhere.
 */
export async function useToken(
  tx: Tx,
  tokenHash: string,
  purpose: 'verify-email' | 'reset-password',
  now: Date,
): Promise<Account | undefined> {
  const found = await findMailToken(tx, tokenHash, purpose)
  const account = found && (await lockAccount(tx, found.accountId))
  const token = account && (await consumeMailToken(tx, tokenHash, purpose, now))
  return token && account.email === token.email ? account : undefined
}
