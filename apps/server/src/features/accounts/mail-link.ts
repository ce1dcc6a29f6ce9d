import { HOUR_MS } from '@tocsin/protocol/durations'
import type { Context, Mail, MailedLink } from '../../context.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import { changeEmailMail, resetPasswordMail } from '../../mail/account-mails.ts'
import type { MailLinks } from '../../mail/mailer.ts'
import { canCancelReset, startResetDelay } from '../factors/reset.ts'
import { type Account, lockAccount } from '../sessions/account-store.ts'
import { createSecret, hashSecret } from '../sessions/secret.ts'
import {
  consumeMailToken,
  endMailTokens,
  findMailToken,
  insertMailToken,
  isTokenValid,
  type MailToken,
  restoreLifetime,
  startLifetime,
} from './store.ts'

type Purpose = Exclude<MailToken['purpose'], 'verify-email'>

/**
 * The page that each link opens, its lifetime and its email. The verification page also confirms a
 * changed address.
 */
const links: Record<Purpose, { path: string; lifetimeMs: number; write: (to: string, url: string) => Mail }> = {
  'reset-password': { path: 'reset-password', lifetimeMs: HOUR_MS, write: resetPasswordMail },
  'change-email': { path: 'verify-email', lifetimeMs: HOUR_MS, write: changeEmailMail },
}

/** True if the token expired without being used. */
export const hasExpired = (token: MailToken, now: Date) => token.usedAt === null && token.expiresAt <= now

/**
 * Creates a single-use link and its email. A new email change invalidates the previous one. Several
 * reset links stay valid at the same time: anyone can request a reset link, and it must not
 * invalidate the owner’s link.
 */
export async function createLinkMail(
  ctx: Context,
  tx: Tx,
  accountId: string,
  email: string,
  purpose: Purpose,
): Promise<Mail & { link: MailedLink }> {
  const { path, lifetimeMs, write } = links[purpose]
  const token = createSecret()
  const createdAt = ctx.clock.now()
  const expiresAt = new Date(createdAt.getTime() + lifetimeMs)
  if (purpose === 'change-email') await endMailTokens(tx, accountId, createdAt, purpose)
  await insertMailToken(tx, { tokenHash: hashSecret(token), accountId, purpose, email, createdAt, expiresAt })
  const mail = write(email, `${ctx.config.http.publicUrl}/${path}?token=${token}`)
  return { ...mail, link: { tokenHash: hashSecret(token), lifetimeMs } }
}

/**
 * Consumes the token and returns its account, if the account still has the address that the token
 * was emailed to. Locks the account before the token, in the same order as all other code.
 */
export async function consumeLinkToken(
  tx: Tx,
  tokenHash: string,
  purpose: 'verify-email' | 'reset-password',
  now: Date,
): Promise<Account | undefined> {
  const foundToken = await findMailToken(tx, tokenHash, purpose)
  const account = foundToken && (await lockAccount(tx, foundToken.accountId))
  const token = account && (await consumeMailToken(tx, tokenHash, purpose, now))
  return token && account.email === token.email ? account : undefined
}

/**
 * Creates the functions that start the lifetime of links, and undo the start if the mail server
 * rejects the email. A lifetime begins when the mail server first gets the email, so that a link
 * works for its full time even if its email had to wait. Unless the start is undone, it begins only
 * once: the email may have arrived, and a repeated delivery must not prolong it.
 *
 * A link that cancels a reset of second factors works until the reset has ended. Here, the delay of
 * the reset begins only after the mail server has accepted the email, because the owner must be
 * warned for the full time.
 */
export function createMailLinks(db: Queryable, clock: Context['clock']): MailLinks {
  return {
    async start({ tokenHash, lifetimeMs }) {
      const now = clock.now()
      if (await startLifetime(db, tokenHash, lifetimeMs, now)) return 'started'
      const isValid = (await isTokenValid(db, tokenHash, now)) || (await canCancelReset(db, tokenHash))
      return isValid ? 'running' : 'ended'
    },
    restore: ({ tokenHash, lifetimeMs }) => restoreLifetime(db, tokenHash, lifetimeMs),
    recordAccepted: ({ tokenHash }) => startResetDelay(db, tokenHash, clock.now()),
  }
}
