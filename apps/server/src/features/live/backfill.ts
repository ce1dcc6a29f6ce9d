import type { Context } from '../../context.ts'
import type { Connection } from './connection.ts'
import { deliveryFrame, type Frame } from './frame.ts'
import type { Outbox } from './outbox.ts'
import type { Sources } from './reader.ts'

export interface History extends Pick<Sources, 'loadDeliveries' | 'lastDeliverySeq'> {
  /** The seq after which someone must read who has seen everything up to that log index. */
  resumePoint(ctx: Context, lastIndex: number): Promise<number>
  /** The log's first leaf hash, which no other log has. */
  findLogId(ctx: Context): Promise<string>
  /** How many entries it has. */
  logSize(ctx: Context): Promise<number>
}

const MAX_GAP = 1_000
const PAGE = 100

/**
 * Writes what was delivered since `lastIndex` past the outbox's hold. `recovered` is false for a gap of more than a thousand deliveries (then
 * nothing was written), and when the right to read ended on the way.
 */
export async function backfill(
  ctx: Context,
  history: History,
  connection: Connection,
  outbox: Outbox,
  lastIndex: number,
): Promise<{ recovered: boolean; highestIndex: number | null }> {
  let seq = await history.resumePoint(ctx, lastIndex)
  if ((await history.lastDeliverySeq(ctx)) - seq > MAX_GAP) return { recovered: false, highestIndex: null }
  let highestIndex: number | null = null
  for (;;) {
    const page = await history.loadDeliveries(ctx, seq, PAGE)
    for (const delivery of page) {
      const mayRead = connection.outbox === outbox && connection.entitledUntilMs > ctx.clock.now().getTime()
      if (!mayRead) return { recovered: false, highestIndex }
      outbox.past(deliveryFrame(delivery.seq, delivery.alert))
      seq = delivery.seq
      highestIndex = Math.max(highestIndex ?? 0, delivery.alert.logIndex)
    }
    if (page.length < PAGE) return { recovered: true, highestIndex }
    // A history is longer than what a socket may leave unsent: at its reader's pace.
    await connection.drained()
  }
}

/** What was delivered since `lastIndex` at moments that count; nothing when the gap is too wide. */
export async function collectOwed(
  ctx: Context,
  history: History,
  lastIndex: number,
  counts: (at: Date) => boolean,
): Promise<Frame[]> {
  let seq = await history.resumePoint(ctx, lastIndex)
  if ((await history.lastDeliverySeq(ctx)) - seq > MAX_GAP) return []
  const owed: Frame[] = []
  for (;;) {
    const page = await history.loadDeliveries(ctx, seq, PAGE)
    for (const { seq: read, at, alert } of page) {
      if (counts(at) && alert.logIndex > lastIndex) owed.push(deliveryFrame(read, alert))
      seq = read
    }
    if (page.length < PAGE) return owed
  }
}
