import { MINUTE_MS, SECOND_MS } from '@tocsin/protocol/durations'
import { Quotas } from '../../quota.ts'
import { Refusal } from '../../refusal.ts'

/**
 * Maximum number of calls to nodes that one account may cause in a minute. A purchase page needs up
 * to 340: it makes up to three calls a second while it waits for a receipt, and polls its order 40
 * times.
 */
export const CALLS_PER_MINUTE = 480
/** How long the result of a read is shared with other requests. */
const CACHE_LIFETIME_MS = SECOND_MS
/** Maximum number of results in memory. */
const MAX_CACHED_READS = 1_000

/** Rate-limited reads of the payment nodes for accounts. The operator pays for these calls. */
export interface ChainReads {
  /**
   * Returns the result that was read under this key less than a second ago, or calls
   * `readFromNode`.
   * @param cost the number of calls to nodes that `readFromNode` makes
   * @throws Refusal too_many_requests if the account has caused too many calls
   */
  read<T>(accountId: string, key: string, cost: number, readFromNode: () => Promise<T>): Promise<T>
}

/** Creates the reads of one instance. Each instance has its own limits and its own cache. */
export function createChainReads(nowMs = () => performance.now()): ChainReads {
  const quotas = new Quotas(CALLS_PER_MINUTE, MINUTE_MS)
  const cachedReads = new Map<string, { value: Promise<unknown>; untilMs: number }>()

  const consume = (accountId: string, cost: number) => {
    quotas.deleteIdle(nowMs())
    if (quotas.consume(accountId, nowMs(), cost)) return
    const retryAfterSeconds = Math.max(1, Math.ceil(quotas.windowRemainingMs(accountId, nowMs()) / SECOND_MS))
    const text = 'Your account reads the chain too often. Wait a little and try again.'
    throw new Refusal('too_many_requests', text, { retryAfterSeconds })
  }
  return {
    async read<T>(accountId: string, key: string, cost: number, readFromNode: () => Promise<T>): Promise<T> {
      const cachedRead = cachedReads.get(key)
      // The key identifies the read, and so the type of its result.
      if (cachedRead && cachedRead.untilMs > nowMs()) return cachedRead.value as Promise<T>
      consume(accountId, cost)
      const value = readFromNode()
      cachedReads.delete(key)
      cachedReads.set(key, { value, untilMs: nowMs() + CACHE_LIFETIME_MS })
      value.catch(() => cachedReads.get(key)?.value === value && cachedReads.delete(key))
      // The map is in order of insertion, so the oldest results come first.
      for (const [cachedKey, { untilMs }] of cachedReads) {
        if (untilMs > nowMs() && cachedReads.size <= MAX_CACHED_READS) break
        cachedReads.delete(cachedKey)
      }
      return value
    },
  }
}
