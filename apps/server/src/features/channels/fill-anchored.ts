import type { Context } from '../../context.ts'
import { anchoredSize } from '../tlog/service.ts'
import { fillLedger, quietReason } from './fill-ledger.ts'
import { insertDeliveries, listToAnnounce, lockCursor, saveAnchoredSize } from './store.ts'

/** Below all alerts, which never wait for it. */
const RANK = 0

/**
 * Fills the ledger: with the new deliveries, and with a message about each alert that was anchored,
 * for destinations that got the alert and want to know.
 */
export async function fillWithAnchored(ctx: Context, onRows?: () => Promise<void>): Promise<void> {
  // Read first: every alert below this size is in the ledger when it is filled.
  const size = await anchoredSize(ctx)
  await fillLedger(ctx, onRows)
  await ctx.db.transaction(async (tx) => {
    const cursor = await lockCursor(tx)
    if (cursor === null || cursor.anchoredSize === size) return
    const from = cursor.anchoredSize ?? size
    const at = ctx.clock.now()
    const sent = await listToAnnounce(tx, from, size)
    const rows = sent.map(({ destinationId, logIndex, seq, ...of }) => {
      const reason = quietReason(of, at)
      return {
        destinationId,
        logIndex,
        event: 'anchored' as const,
        seq,
        rank: RANK,
        state: reason === null ? ('waiting' as const) : ('skipped' as const),
        reason: reason ?? 'Waits to be sent',
        createdAt: at,
        nextAt: at,
      }
    })
    await insertDeliveries(tx, rows)
    await saveAnchoredSize(tx, size)
  })
}
