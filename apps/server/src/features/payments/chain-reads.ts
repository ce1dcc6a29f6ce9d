import { MINUTE_MS, SECOND_MS } from '@tocsin/protocol/durations'
import { Quotas } from '../../quota.ts'
import { Refusal } from '../../refusal.ts'

/**
 * Calls to nodes that one account may cause in a minute. A purchase page needs up to 340: it waits
 * for a receipt with up to three calls a second, and polls its order 40 times.
 */
export const CALLS_PER_MINUTE = 480
/** Requests share what was read for another one this recently. */
const KEPT_MS = SECOND_MS
const MOST_KEPT = 1_000

/** The calls to payment nodes that accounts cause, which the operator pays for. */
export interface ChainReads {
  /**
   * Returns what was read under this key less than a second ago, or reads it.
   * @param cost the number of calls that reading causes
   * @throws Refusal too_many_requests if the account has caused too many
   */
  read<T>(accountId: string, key: string, cost: number, ask: () => Promise<T>): Promise<T>
}

/** Each instance limits and keeps its own. */
export function createChainReads(nowMs = () => performance.now()): ChainReads {
  const quotas = new Quotas(CALLS_PER_MINUTE, MINUTE_MS)
  const kept = new Map<string, { value: Promise<unknown>; untilMs: number }>()

  const consume = (accountId: string, cost: number) => {
    quotas.deleteIdle(nowMs())
    if (quotas.consume(accountId, nowMs(), cost)) return
    const retryAfterSeconds = Math.max(1, Math.ceil(quotas.leftMs(accountId, nowMs()) / SECOND_MS))
    const text = 'Your account reads the chain too often. Wait a little and try again.'
    throw new Refusal('too_many_requests', text, { retryAfterSeconds })
  }
  return {
    async read<T>(accountId: string, key: string, cost: number, ask: () => Promise<T>): Promise<T> {
      const known = kept.get(key)
      // The key names what is asked, and so the type of the result.
      if (known && known.untilMs > nowMs()) return known.value as Promise<T>
      consume(accountId, cost)
      const value = ask()
      kept.delete(key)
      kept.set(key, { value, untilMs: nowMs() + KEPT_MS })
      value.catch(() => kept.get(key)?.value === value && kept.delete(key))
      // The oldest come first.
      for (const [old, { untilMs }] of kept) {
        if (untilMs > nowMs() && kept.size <= MOST_KEPT) break
        kept.delete(old)
      }
      return value
    },
  }
}
