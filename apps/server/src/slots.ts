import { Refusal } from './refusal.ts'

/**
 * Limits concurrency to `limit`. Further work waits in FIFO order.
 * @param queue rejects with a Refusal (`busy`) if more work than `maxWaiting` would wait
 */
export function createSlots(
  limit: number,
  queue?: { maxWaiting: number; busy: string; code?: 'unavailable' | 'too_many_requests' },
): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (queue && waiting.length >= queue.maxWaiting) {
      throw new Refusal(queue.code ?? 'unavailable', queue.busy)
    }
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
