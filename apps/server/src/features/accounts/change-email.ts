import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { addressInUseMail, emailChangedMail } from '../../mail/account-mails.ts'
import { Refusal } from '../../refusal.ts'
import { parseEmail } from './email-address.ts'
import { createLinkMail, takeMail, takeNetworkMail } from './mail-link.ts'
import {
  type Account,
  deleteAccount,
  endMailTokens,
  findAccountByEmail,
  lockAccount,
  lockWholeAccount,
  lockWholeAccountByEmail,
  type MailToken,
  updateAccount,
} from './store.ts'

/** Mails a link to the new address, or, if it is somebody's already, word of that: the caller is told the same. */
export async function requestEmailChange(
  ctx: Context,
  actor: Actor,
  requestedEmail: string,
  network: string,
): Promise<void> {
  const email = parseEmail(requestedEmail)
  await takeNetworkMail(ctx, network)
  await ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, actor.accountId)
    if (!account) throw new Refusal('not_signed_in', 'Sign in first')
    if (account.email === email) throw new Refusal('malformed', 'This is your address already')
    // Made in any case: the account shows which address it waits for, and must not show who has it.
    const linkMail = await createLinkMail(ctx, tx, account.id, email, 'change-email')
    if (!(await takeMail(tx, email, ctx.clock.now()))) return
    const holder = await findAccountByEmail(tx, email)
    const isTaken = holder !== undefined && !isUnclaimed(holder)
    await ctx.sendMail(tx, isTaken ? addressInUseMail(email, ctx.config.http.publicUrl) : linkMail)
  })
}

/** The link was opened: its address is the account's. False if somebody else has confirmed the address meanwhile. */
export async function applyEmailChange(ctx: Context, tx: Tx, token: MailToken): Promise<boolean> {
  const now = ctx.clock.now()
  const account = await lockWholeAccount(tx, token.accountId)
  const holder = await lockWholeAccountByEmail(tx, token.email)
  if (!account || (holder && !isUnclaimed(holder))) return false
  if (holder) await deleteAccount(tx, holder.id)
  await updateAccount(tx, account.id, { email: token.email, emailVerifiedAt: now })
  await endMailTokens(tx, account.id, now)
  const detail = `Changed to ${token.email}`
  await recordActivity(tx, { accountId: account.id, kind: 'email_changed', detail, at: now })
  if (account.email) await ctx.sendMail(tx, emailChangedMail(account.email, now, ctx.config.http.publicUrl))
  return true
}

/** Somebody has signed up with the address and never confirmed it: nobody could ever sign in there, so it owns nothing. */
const isUnclaimed = (account: Account) => account.emailVerifiedAt === null && account.role === 'user'
