import type { Context } from '../../context.ts'
import type { History } from './backfill.ts'

type SharedReads = Pick<History, 'findResumeSeq' | 'findLastDeliverySeq' | 'loadDeliveries'>

/** Maximum number of cached results. A burst of reconnecting clients needs only a few. */
const MAX_CACHED_READS = 100
const CACHE_LIFETIME_MS = 1_000

/**
 * Caches history queries for a second, so that a burst of reconnecting clients shares them. Each
 * fan-out invalidates the cache: a new listener's history must contain everything that was fanned
 * out before it began to listen.
 * @param countFanOuts returns the number of fan-outs so far
 */
export function cacheHistoryReads(sources: SharedReads, countFanOuts: () => number): SharedReads {
  const cachedReads = new Map<string, { at: number; untilMs: number; result: Promise<unknown> }>()

  const shareRead = <Value>(cacheKey: string, read: () => Promise<Value>): Promise<Value> => {
    const [fanOutCount, nowMs] = [countFanOuts(), performance.now()]
    const cachedRead = cachedReads.get(cacheKey)
    // The key identifies the query, and so the type of its result.
    if (cachedRead && cachedRead.at === fanOutCount && nowMs < cachedRead.untilMs)
      return cachedRead.result as Promise<Value>
    for (const [old, one] of cachedReads) {
      if (one.at !== fanOutCount || nowMs >= one.untilMs || cachedReads.size >= MAX_CACHED_READS)
        cachedReads.delete(old)
    }
    const result = read()
    const newRead = { at: fanOutCount, untilMs: nowMs + CACHE_LIFETIME_MS, result }
    cachedReads.set(cacheKey, newRead)
    result.catch(() => {
      if (cachedReads.get(cacheKey) === newRead) cachedReads.delete(cacheKey)
    })
    return result
  }
  return {
    findResumeSeq: (ctx: Context, lastIndex: number) =>
      shareRead(`after index ${lastIndex}`, () => sources.findResumeSeq(ctx, lastIndex)),
    findLastDeliverySeq: (ctx: Context) => shareRead('last', () => sources.findLastDeliverySeq(ctx)),
    loadDeliveries: (ctx: Context, afterSeq: number, limit: number) =>
      shareRead(`${limit} after ${afterSeq}`, async () => {
        const page = await sources.loadDeliveries(ctx, afterSeq, limit)
        // Wait for the notifications of all changes of rights that preceded these deliveries, so
        // that the rights are read again before the page is sent.
        if (!(await ctx.notifications.catchUp())) throw new Error('The connection for notifications is lost')
        return page
      }),
  }
}
