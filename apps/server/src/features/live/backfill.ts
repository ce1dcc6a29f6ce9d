import type { Context } from '../../context.ts'
import type { Connection } from './connection.ts'
import { type Batch, deliveryFrame, type Frame, joinFrames } from './frame.ts'
import type { Outbox } from './outbox.ts'
import type { Delivery, Sources } from './reader.ts'

export interface History extends Pick<Sources, 'loadDeliveries' | 'lastDeliverySeq'> {
  /** The seq after which someone must read who has seen everything up to that log index. */
  resumePoint(ctx: Context, lastIndex: number): Promise<number>
  /** The log's first leaf hash, which no other log has. */
  findLogId(ctx: Context): Promise<string>
  /** Like `loadDeliveries`, for accounts that may no longer read: what supersedes an alert is left out until it is public. */
  loadOwedDeliveries: Sources['loadDeliveries']
  /** How many entries it has. */
  logSize(ctx: Context): Promise<number>
}

const MAX_GAP = 1_000
const PAGE = 100
/** Those who share a page share its bytes too. */
const encoded = new WeakMap<readonly Delivery[], Batch>()

/**
 * Writes what was delivered since `lastIndex` past the outbox's hold. `recovered` is false for a gap of more than a thousand deliveries or one that
 * `spend` refuses (then nothing was written), and when the right to read ended on the way.
 * @param spend whether the account may be sent so many more now
 */
export async function backfill(
  ctx: Context,
  history: History,
  connection: Connection,
  outbox: Outbox,
  lastIndex: number,
  spend: (count: number) => boolean,
): Promise<{ recovered: boolean; highestIndex: number | null }> {
  let seq = await history.resumePoint(ctx, lastIndex)
  const gap = (await history.lastDeliverySeq(ctx)) - seq
  if (gap > MAX_GAP || (gap > 0 && !spend(gap))) return { recovered: false, highestIndex: null }
  let highestIndex: number | null = null
  for (;;) {
    const page = await history.loadDeliveries(ctx, seq, PAGE)
    const last = page.at(-1)
    if (last) {
      const mayRead = connection.outbox === outbox && connection.entitledUntilMs > ctx.clock.now().getTime()
      if (!mayRead) return { recovered: false, highestIndex }
      outbox.pastBatch(encodePage(page))
      seq = last.seq
      highestIndex = Math.max(highestIndex ?? 0, ...page.map(({ alert }) => alert.logIndex))
    }
    if (page.length < PAGE) return { recovered: true, highestIndex }
    // A history is longer than what a socket may leave unsent: at its reader's pace.
    await connection.drained()
  }
}

function encodePage(page: readonly Delivery[]): Batch {
  const known = encoded.get(page)
  if (known) return known
  const batch = joinFrames(page.map(({ seq, alert }) => deliveryFrame(seq, alert)))
  encoded.set(page, batch)
  return batch
}

/** What was delivered since `lastIndex` at moments that count; nothing when the gap is too wide, or one that `spend` refuses. */
export async function collectOwed(
  ctx: Context,
  history: History,
  lastIndex: number,
  counts: (at: Date) => boolean,
  spend: (count: number) => boolean,
): Promise<Frame[]> {
  let seq = await history.resumePoint(ctx, lastIndex)
  const gap = (await history.lastDeliverySeq(ctx)) - seq
  if (gap > MAX_GAP || (gap > 0 && !spend(gap))) return []
  const owed: Frame[] = []
  for (;;) {
    const page = await history.loadOwedDeliveries(ctx, seq, PAGE)
    for (const { seq: read, at, alert } of page) {
      if (counts(at) && alert.logIndex > lastIndex) owed.push(deliveryFrame(read, alert))
      seq = read
    }
    if (page.length < PAGE) return owed
  }
}
