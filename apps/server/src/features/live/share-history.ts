import type { Context } from '../../context.ts'
import type { History } from './backfill.ts'

type Shared = Pick<History, 'resumePoint' | 'lastDeliverySeq' | 'loadDeliveries'>

/** Different questions whose answers are kept; a crowd that comes back asks few. */
const MOST_KEPT = 100
const KEPT_MS = 1_000

/**
 * The history, where those who ask the same within a moment get the same answer. Only until the next fan-out: what was fanned out before somebody began to
 * listen must be in what they read, so an answer is good as long as nothing was fanned out since its question.
 * @param fanOuts how often something was fanned out
 */
export function shareHistory(sources: Shared, fanOuts: () => number): Shared {
  const kept = new Map<string, { at: number; untilMs: number; answer: Promise<unknown> }>()

  const share = <Value>(question: string, ask: () => Promise<Value>): Promise<Value> => {
    const [at, nowMs] = [fanOuts(), performance.now()]
    const known = kept.get(question)
    // What was kept under a question is what that question gives.
    if (known && known.at === at && nowMs < known.untilMs) return known.answer as Promise<Value>
    for (const [old, one] of kept) {
      if (one.at !== at || nowMs >= one.untilMs || kept.size >= MOST_KEPT) kept.delete(old)
    }
    const answer = ask()
    const one = { at, untilMs: nowMs + KEPT_MS, answer }
    kept.set(question, one)
    answer.catch(() => {
      if (kept.get(question) === one) kept.delete(question)
    })
    return answer
  }
  return {
    resumePoint: (ctx: Context, lastIndex: number) =>
      share(`after index ${lastIndex}`, () => sources.resumePoint(ctx, lastIndex)),
    lastDeliverySeq: (ctx: Context) => share('last', () => sources.lastDeliverySeq(ctx)),
    loadDeliveries: (ctx: Context, afterSeq: number, limit: number) =>
      share(`${limit} after ${afterSeq}`, () => sources.loadDeliveries(ctx, afterSeq, limit)),
  }
}
