import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { parseEmail } from '../../email-address.ts'
import type { Actor } from '../../http/route.ts'
import { addressInUseMail, emailChangedMail } from '../../mail/account-mails.ts'
import { findSuppressed, suppressNews } from '../../mail/suppressions.ts'
import { Refusal } from '../../refusal.ts'
import {
  deleteAccount,
  findAccountByEmail,
  lockAccountByEmailForUpdate,
  lockAccountForUpdate,
  updateAccount,
} from '../sessions/account-store.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { raiseTakeoverAlarm } from '../sessions/takeover-alarm.ts'
import { createLinkMail, hasExpired } from './mail-link.ts'
import { withMailQuota } from './mail-quota.ts'
import { isUnclaimed } from './pending-sign-up.ts'
import { lockAddress, voidSignUps } from './pending-sign-up-store.ts'
import { consumeMailToken, endMailTokens, findMailToken } from './store.ts'

/**
 * Emails a confirmation link to the new email address. If that address already has an account,
 * emails a notice instead. The caller gets the same response in both cases.
 */
export async function requestEmailChange(
  ctx: Context,
  actor: Actor,
  requestedEmail: string,
  network: string,
): Promise<void> {
  const email = parseEmail(requestedEmail)
  if (actor.email === email) throw new Refusal('malformed', 'This is already your address')
  await withMailQuota(ctx, { kind: 'change-email', email, requester: actor.accountId, network }, () =>
    ctx.db.transaction(async (tx) => {
      const account = await lockActor(ctx, tx, actor)
      // Create the link even if the address is taken: the account page shows the pending address
      // until the link expires, so a missing link would reveal the other account. For the same
      // reason, sending the notice starts the lifetime of the link.
      const linkMail = await createLinkMail(ctx, tx, account.id, email, 'change-email')
      const holder = await findAccountByEmail(tx, email)
      const notice = addressInUseMail(email, ctx.config.http.publicUrl)
      const isTaken = holder !== undefined && !isUnclaimed(holder)
      await ctx.sendMail(tx, isTaken ? { ...notice, link: linkMail.link } : linkMail)
    }),
  )
}

type ConfirmedChange = 'changed' | 'not-the-account' | 'change-expired' | 'invalid'

/**
 * Applies the email change of an opened link. The link works only in a session of the account that
 * requested it. Otherwise, another person who opens it would give their address to that account.
 * @returns null if the token is not for an email change
 */
export async function confirmEmailChange(
  ctx: Context,
  tx: Tx,
  tokenHash: string,
  actor: Actor | null,
): Promise<ConfirmedChange | null> {
  const foundToken = await findMailToken(tx, tokenHash, 'change-email')
  if (!foundToken) return null
  const now = ctx.clock.now()
  if (hasExpired(foundToken, now)) return 'change-expired'
  if (foundToken.usedAt) return 'invalid'
  const { accountId, email } = foundToken
  if (actor?.accountId !== accountId) return 'not-the-account'
  await lockAddress(tx, email)
  const account = await lockActor(ctx, tx, actor, lockAccountForUpdate)
  const holder = await lockAccountByEmailForUpdate(tx, email)
  if (!(await consumeMailToken(tx, tokenHash, 'change-email', now))) return 'invalid'
  if (holder && !isUnclaimed(holder)) return 'invalid'
  if (holder) await deleteAccount(tx, holder.id)
  await updateAccount(tx, account.id, { email, emailVerifiedAt: now })
  // Suppressions belong to addresses. A reader who has unsubscribed must not get news at the new
  // one.
  if (account.email && (await findSuppressed(tx, [account.email])).size > 0) await suppressNews(tx, email, now)
  await voidSignUps(tx, email, now)
  await endMailTokens(tx, account.id, now)
  const formerReference = account.emailVerifiedAt && account.email ? { reference: account.email } : {}
  await recordActivity(tx, {
    accountId,
    kind: 'email_changed',
    detail: `Changed to ${email}`,
    at: now,
    ...formerReference,
  })
  if (account.email) await ctx.sendMail(tx, emailChangedMail(account.email, now, ctx.config.http.publicUrl))
  await raiseTakeoverAlarm(ctx, tx, accountId)
  return 'changed'
}
