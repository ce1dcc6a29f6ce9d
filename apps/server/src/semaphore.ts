import { Refusal } from './refusal.ts'

/**
 * Limits the number of concurrent calls to `limit`. Further calls wait in FIFO order.
 * @param queue if set, a call is rejected with a Refusal (`busy`) while `maxWaiting` calls are
 * waiting
 */
export function createSemaphore(
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
