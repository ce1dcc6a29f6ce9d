import { Refusal } from './refusal.ts'

/**
 * Limits concurrency to `limit`. Further work waits in FIFO order.
 * @param maxWaiting rejects with Refusal unavailable (`busy`) if more work would wait
 */
export function createSlots(
  limit: number,
  { maxWaiting, busy }: { maxWaiting: number; busy: string } = { maxWaiting: Number.POSITIVE_INFINITY, busy: '' },
): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (waiting.length >= maxWaiting) throw new Refusal('unavailable', busy)
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
