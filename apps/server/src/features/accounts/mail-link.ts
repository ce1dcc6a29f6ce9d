import type { Context, Mail } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { changeEmailMail, resetPasswordMail, verifyEmailMail } from '../../mail/account-mails.ts'
import { emptyWindow, limitSubject, MAIL_LIMIT, MAIL_NETWORK_LIMIT, takeTry } from './credential-limit.ts'
import { takeTries } from './limits.ts'
import { hashSecret, newSecret } from './secret.ts'
import { lockLimit, type MailToken, replaceMailToken, updateLimit } from './store.ts'

type Purpose = MailToken['purpose']

const HOUR_MS = 3_600_000

/** Each opens a page of the site; the one that confirms an address serves a new address too. */
const links: Record<Purpose, { path: string; lifetimeMs: number; write: (to: string, url: string) => Mail }> = {
  'verify-email': { path: 'verify-email', lifetimeMs: 24 * HOUR_MS, write: verifyEmailMail },
  'reset-password': { path: 'reset-password', lifetimeMs: HOUR_MS, write: resetPasswordMail },
  'change-email': { path: 'verify-email', lifetimeMs: HOUR_MS, write: changeEmailMail },
}

/** The mail with a link that works once; the account's former link of the purpose ends. */
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
  await replaceMailToken(tx, { tokenHash: hashSecret(token), accountId, purpose, email, createdAt, expiresAt })
  return write(email, `${ctx.config.http.publicUrl}/${path}?token=${token}`)
}

/** Whether one more mail may go to the address now. Whoever asked for it is not told: it would say what others asked for. */
export async function takeMail(tx: Tx, email: string, now: Date): Promise<boolean> {
  const subject = limitSubject('mail', email)
  const taken = takeTry(await lockLimit(tx, subject, emptyWindow(now, MAIL_LIMIT)), MAIL_LIMIT, now)
  if (taken.allowed) await updateLimit(tx, subject, taken.next)
  return taken.allowed
}

/**
 * Where mails only land in a folder nobody is pestered, and everybody comes from the same machine.
 * @throws Refusal when this network has asked for too many mails, to whomever
 */
export async function takeNetworkMail(ctx: Context, network: string): Promise<void> {
  if (ctx.config.mail.smtpUrl === null) return
  await takeTries(ctx, [{ subject: limitSubject('mail-network', network), rule: MAIL_NETWORK_LIMIT }])
}
