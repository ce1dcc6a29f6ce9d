import type { Context } from '../../context.ts'
import { anchoredSize } from '../tlog/service.ts'
import { enqueueDeliveries, findSkipReason } from './enqueue-deliveries.ts'
import { insertDeliveries, listToAnnounce, lockCursor, saveAnchoredSize } from './store.ts'

/**
 * The lowest rank, which low alerts also have. Alerts of other priorities never wait for messages
 * about anchors.
 */
const RANK = 0

/**
 * Adds rows to the ledger for new deliveries, and for each alert that was anchored: destinations
 * that got the alert get a message about the anchor if their owner has chosen that.
 */
export async function enqueueDeliveriesWithAnchors(ctx: Context, onRows?: () => Promise<void>): Promise<void> {
  // Read before deliveries are enqueued, so that every alert below this size is then in the ledger.
  const size = await anchoredSize(ctx)
  await enqueueDeliveries(ctx, onRows)
  await ctx.db.transaction(async (tx) => {
    const cursor = await lockCursor(tx)
    if (cursor === null || cursor.anchoredSize === size) return
    const from = cursor.anchoredSize ?? size
    const at = ctx.clock.now()
    const sent = await listToAnnounce(tx, from, size)
    const rows = sent.map(({ destinationId, logIndex, seq, ...of }) => {
      const reason = findSkipReason(of, at)
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
