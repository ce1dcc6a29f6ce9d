import type { Context } from '../../context.ts'
import { getAnchoredSize } from '../tlog/service.ts'
import { enqueueDeliveries, findSkipReason } from './enqueue-deliveries.ts'
import { insertDeliveries, listToAnnounce, lockCursor, saveAnchoredSize } from './store.ts'

/**
 * Rank of messages about anchors: the lowest one, like alerts of low priority. Alerts of other
 * priorities therefore never wait for messages about anchors.
 */
const ANCHOR_RANK = 0

/**
 * Maximum number of log entries whose rows one transaction inserts. An anchor after a long outage
 * of the chain covers many entries.
 */
const MAX_ENTRIES = 200

/**
 * Recorded reason why no message about the anchor is sent. That message contains the alert, so the
 * owner would get the alert separately although it was chosen for a digest.
 */
const IN_DIGEST_REASON = 'The alert is in a digest'

/**
 * Recorded reason why no message about the anchor is sent to a later step of an escalation. If the
 * alert is not acknowledged in time, it is sent there and its message names the anchor.
 */
const LATER_STEP_REASON = 'The alert waits for its step of the escalation'

/** Time limit of one call, because new alerts wait for its end. */
const PASS_LIMIT_MS = 100

/**
 * Adds rows to the delivery ledger for new deliveries and for alerts that were anchored. A
 * destination that got such an alert gets a message about the anchor if its owner has chosen these
 * messages and the alert is not in a digest.
 * @returns true if the time ran out before the rows of all anchored alerts were added
 */
export async function enqueueDeliveriesWithAnchors(ctx: Context, onRows?: () => Promise<void>): Promise<boolean> {
  // Read before deliveries are enqueued, so that every alert below this size is then in the
  // delivery ledger.
  const size = await getAnchoredSize(ctx)
  await enqueueDeliveries(ctx, onRows)
  const endMs = performance.now() + PASS_LIMIT_MS
  while (await enqueueAnchored(ctx, size)) if (performance.now() > endMs) return true
  return false
}

/** @returns true if further log entries are left */
async function enqueueAnchored(ctx: Context, size: number): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    const cursor = await lockCursor(tx)
    if (cursor === null || cursor.anchoredSize === size) return false
    const from = cursor.anchoredSize ?? size
    const to = Math.min(from + MAX_ENTRIES, size)
    const at = ctx.clock.now()
    const announcedDeliveries = await listToAnnounce(tx, from, to)
    const rows = announcedDeliveries.map(({ destinationId, logIndex, seq, isInDigest, isLaterStep, ...of }) => {
      const reason = isInDigest ? IN_DIGEST_REASON : isLaterStep ? LATER_STEP_REASON : findSkipReason(of, at)
      return {
        destinationId,
        logIndex,
        event: 'anchored' as const,
        seq,
        rank: ANCHOR_RANK,
        state: reason === null ? ('waiting' as const) : ('skipped' as const),
        reason: reason ?? 'Waits to be sent',
        createdAt: at,
        nextAt: at,
      }
    })
    await insertDeliveries(tx, rows)
    await saveAnchoredSize(tx, to)
    return to < size
  })
}
