import type { Context } from '../../context.ts'
import type { IssuedDelivery } from '../../issued-deliveries.ts'
import type { Connection } from './connection.ts'
import { type Batch, createDeliveryFrame, type Frame, joinFrames } from './frame.ts'
import type { DeliveryLoader } from './reader.ts'
import type { SendQueue } from './send-queue.ts'

export interface History extends Pick<DeliveryLoader, 'loadDeliveries' | 'findLastDeliverySeq'> {
  /**
   * Returns the seq after which to resume a client that has seen everything up to this log index.
   */
  findResumeSeq(ctx: Context, lastIndex: number): Promise<number>
  /** Returns the log's first leaf hash, which identifies the log. */
  findLogId(ctx: Context): Promise<string>
  /**
   * Like `loadDeliveries`, for accounts whose right to read has ended. The alerts do not refer to
   * their corrections, retractions and outcomes until these are public.
   */
  loadOwedDeliveries: DeliveryLoader['loadDeliveries']
  /** Returns the number of log entries. */
  getLogSize(ctx: Context): Promise<number>
}

/** Maximum number of missed deliveries that a backfill sends. */
const MAX_GAP = 1_000
const PAGE = 100
/** Encoded pages of the backfill. Clients that read the same page share its encoded bytes. */
const encodedPages = new WeakMap<readonly IssuedDelivery[], Batch>()

/**
 * Writes the deliveries since `lastIndex` while live frames wait in the send queue. `recovered` is
 * false in three cases:
 * - More than MAX_GAP deliveries were missed. Nothing is written.
 * - `consumeQuota` returns false. Nothing is written.
 * - The account loses its right to read during the backfill.
 *
 * @param consumeQuota consumes the account's quota; returns false if it is used up
 */
export async function backfill(
  ctx: Context,
  history: History,
  { streamSubscription, transport }: Connection,
  sendQueue: SendQueue,
  lastIndex: number,
  consumeQuota: (count: number) => boolean,
): Promise<{ recovered: boolean; highestIndex: number | null }> {
  let seq = await history.findResumeSeq(ctx, lastIndex)
  const gap = (await history.findLastDeliverySeq(ctx)) - seq
  if (gap > MAX_GAP || (gap > 0 && !consumeQuota(gap))) return { recovered: false, highestIndex: null }
  let highestIndex: number | null = null
  for (;;) {
    const page = await history.loadDeliveries(ctx, seq, PAGE)
    // The page may contain alerts that were broadcast after the account had lost its right to read.
    // In that case its rights are being read again now, because `loadDeliveries` waits for the
    // notification.
    await streamSubscription.waitForRecheck(sendQueue)
    const lastDelivery = page.at(-1)
    if (lastDelivery) {
      const mayRead =
        streamSubscription.sendQueue === sendQueue && streamSubscription.entitledUntilMs > ctx.clock.now().getTime()
      if (!mayRead) return { recovered: false, highestIndex }
      sendQueue.backfill(encodePage(page))
      seq = lastDelivery.seq
      highestIndex = Math.max(highestIndex ?? 0, ...page.map(({ logIndex }) => logIndex))
    }
    if (page.length < PAGE) return { recovered: true, highestIndex }
    // A history can exceed the limit of unsent bytes, so the backfill waits for the client to read.
    await transport.waitForDrain()
  }
}

function encodePage(page: readonly IssuedDelivery[]): Batch {
  const cachedBatch = encodedPages.get(page)
  if (cachedBatch) return cachedBatch
  const batch = joinFrames(page.map(createDeliveryFrame))
  encodedPages.set(page, batch)
  return batch
}

/**
 * Returns the deliveries since `lastIndex` whose time `isInPaidPeriod` accepts. Returns none if
 * more than MAX_GAP deliveries were missed or `consumeQuota` returns false.
 */
export async function collectOwedFrames(
  ctx: Context,
  history: History,
  lastIndex: number,
  isInPaidPeriod: (at: Date) => boolean,
  consumeQuota: (count: number) => boolean,
): Promise<Frame[]> {
  let seq = await history.findResumeSeq(ctx, lastIndex)
  const gap = (await history.findLastDeliverySeq(ctx)) - seq
  if (gap > MAX_GAP || (gap > 0 && !consumeQuota(gap))) return []
  const owedFrames: Frame[] = []
  for (;;) {
    const page = await history.loadOwedDeliveries(ctx, seq, PAGE)
    for (const delivered of page) {
      const { at, logIndex, isOutcome } = delivered
      // An alert can be broadcast after alerts with higher indexes, so indexes below `lastIndex`
      // are included. Outcomes are left out: the right to read them depends on when they become
      // public, not on a paid period.
      if (isInPaidPeriod(at) && logIndex !== lastIndex && !isOutcome) owedFrames.push(createDeliveryFrame(delivered))
      seq = delivered.seq
    }
    if (page.length < PAGE) return owedFrames
  }
}
