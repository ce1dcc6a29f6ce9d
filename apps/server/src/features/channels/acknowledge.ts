import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { findReadAccess } from '../access/read-access.ts'
import { isReadableAt } from '../alerts/service.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { insertAcknowledgement, skipAcknowledged } from './acknowledgement-store.ts'
import { ACKNOWLEDGED_REASON } from './escalation.ts'
import { findRecipients } from './recipients.ts'

/**
 * Acknowledges an alert for the whole account: its escalation ends, digests that start later do not
 * contain it, and open pages learn of it.
 * @throws Refusal not_found, including for alerts that the account may not read
 */
export async function acknowledgeAlert(ctx: Context, actor: Actor, logIndex: number): Promise<Date> {
  const isReadable = await isReadableAt(ctx, await findReadAccess(ctx, actor), logIndex)
  if (!isReadable) throw new Refusal('not_found', 'Alert not found')
  return ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, actor)
    return acknowledge(ctx, tx, actor.accountId, logIndex)
  })
}

/**
 * Does the same as `acknowledgeAlert`, for a button in a message. Requires a running plan: without
 * one, the response would reveal which log entries are alerts.
 * @returns false if the account gets no alerts now
 */
export async function acknowledgeByMessage(ctx: Context, accountId: string, logIndex: number): Promise<boolean> {
  if (!(await findRecipients(ctx, [accountId])).has(accountId)) return false
  await ctx.db.transaction((tx) => acknowledge(ctx, tx, accountId, logIndex))
  return true
}

/** Only the first acknowledgement of an alert is stored. */
async function acknowledge(ctx: Context, tx: Tx, accountId: string, logIndex: number): Promise<Date> {
  const at = await insertAcknowledgement(tx, { accountId, logIndex, at: ctx.clock.now() })
  await skipAcknowledged(tx, accountId, logIndex, ACKNOWLEDGED_REASON)
  await ctx.notifications.notify(tx, 'acknowledgements', accountId)
  return at
}
