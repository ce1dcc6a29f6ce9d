import type { Context } from '../../context.ts'
import { lastDeliverySeq, loadDeliveries } from '../alerts/service.ts'
import { rankOf } from './destination.ts'
import { findRecipients } from './recipients.ts'
import {
  type Destination,
  insertDeliveries,
  listConfirmed,
  lockCursor,
  type NewDelivery,
  reasonOfState,
  saveCursor,
} from './store.ts'

const PAGE = 200

export const NO_PLAN = 'No active plan'

/** Null if the destination is not muted. */
export function muteReason(mutedUntil: Date | null, now: Date): string | null {
  if (mutedUntil === null || mutedUntil <= now) return null
  return `Muted until ${mutedUntil.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** Null if the destination is on and not muted. */
export function quietReason(of: Pick<Destination, 'state' | 'mutedUntil'>, now: Date): string | null {
  return of.state === 'on' ? muteReason(of.mutedUntil, now) : reasonOfState(of.state)
}

/**
 * Adds a row for each new delivery and destination. It reads `deliveries` with its own cursor and
 * in its own transactions, so that the live stream never waits for it.
 */
export async function fillLedger(ctx: Context): Promise<void> {
  while (await fillPage(ctx)) {}
}

/** @returns true if there may be more */
async function fillPage(ctx: Context): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    const cursor = await lockCursor(tx)
    if (cursor === null) {
      // Alerts from before the first start are not news.
      await saveCursor(tx, await lastDeliverySeq(ctx))
      return false
    }
    const news = await loadDeliveries(ctx, cursor.seq, PAGE)
    const last = news.at(-1)
    if (!last) return false
    const now = ctx.clock.now()
    const confirmed = await listConfirmed(tx)
    const recipients = await findRecipients(
      ctx,
      confirmed.map(({ accountId }) => accountId),
    )
    const rows = news.flatMap((delivered) =>
      // Outcomes are for destinations that want them.
      confirmed
        .filter(({ events }) => !delivered.isOutcome || events.includes('outcome'))
        .map(({ id, accountId, ...of }): NewDelivery => {
          const reason = recipients.has(accountId) ? quietReason(of, now) : NO_PLAN
          return {
            destinationId: id,
            logIndex: delivered.logIndex,
            event: delivered.isOutcome ? 'outcome' : 'alert',
            seq: delivered.seq,
            rank: rankOf(delivered.alert.priority),
            state: reason === null ? 'waiting' : 'skipped',
            reason: reason ?? 'Waits to be sent',
            createdAt: delivered.at,
            nextAt: delivered.at,
          }
        }),
    )
    await insertDeliveries(tx, rows)
    await saveCursor(tx, last.seq)
    return true
  })
}
