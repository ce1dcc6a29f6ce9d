import type { Context } from '../../context.ts'
import type { History } from './backfill.ts'

type Shared = Pick<History, 'resumePoint' | 'lastDeliverySeq' | 'loadDeliveries'>

/** Maximum number of cached results. A burst of reconnecting clients needs only a few. */
const MAX_CACHED = 100
const KEPT_MS = 1_000

/**
 * Caches history queries for a second, so that a burst of reconnecting clients shares them. Each
 * fan-out invalidates the cache: a new listener's history must contain everything that was fanned
 * out before it began to listen.
 * @param fanOuts returns the number of fan-outs so far
 */
export function cacheHistoryReads(sources: Shared, fanOuts: () => number): Shared {
  const cachedReads = new Map<string, { at: number; untilMs: number; result: Promise<unknown> }>()

  const share = <Value>(question: string, ask: () => Promise<Value>): Promise<Value> => {
    const [at, nowMs] = [fanOuts(), performance.now()]
    const known = cachedReads.get(question)
    // The key identifies the query, and so the type of its result.
    if (known && known.at === at && nowMs < known.untilMs) return known.result as Promise<Value>
    for (const [old, one] of cachedReads) {
      if (one.at !== at || nowMs >= one.untilMs || cachedReads.size >= MAX_CACHED) cachedReads.delete(old)
    }
    const result = ask()
    const one = { at, untilMs: nowMs + KEPT_MS, result }
    cachedReads.set(question, one)
    result.catch(() => {
      if (cachedReads.get(question) === one) cachedReads.delete(question)
    })
    return result
  }
  return {
    resumePoint: (ctx: Context, lastIndex: number) =>
      share(`after index ${lastIndex}`, () => sources.resumePoint(ctx, lastIndex)),
    lastDeliverySeq: (ctx: Context) => share('last', () => sources.lastDeliverySeq(ctx)),
    loadDeliveries: (ctx: Context, afterSeq: number, limit: number) =>
      share(`${limit} after ${afterSeq}`, () => sources.loadDeliveries(ctx, afterSeq, limit)),
  }
}
