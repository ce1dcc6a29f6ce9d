import { Refusal } from './refusal.ts'

/**
 * Limits the number of concurrent calls to `limit`. Further calls wait in FIFO order.
 * @param queue if set, a call is rejected with a Refusal while `maxWaiting` calls are waiting.
 * `busyMessage` is the message of the Refusal, `code` its code ("unavailable" by default)
 */
export function createSemaphore(
  limit: number,
  queue?: { maxWaiting: number; busyMessage: string; code?: 'unavailable' | 'too_many_requests' },
): <T>(work: () => Promise<T>) => Promise<T> {
  const waitingCalls: (() => void)[] = []
  let runningCount = 0
  return async (work) => {
    if (queue && waitingCalls.length >= queue.maxWaiting) {
      throw new Refusal(queue.code ?? 'unavailable', queue.busyMessage)
    }
    if (runningCount >= limit) await new Promise<void>((resolve) => waitingCalls.push(resolve))
    else runningCount += 1
    try {
      return await work()
    } finally {
      const startNext = waitingCalls.shift()
      if (startNext) startNext()
      else runningCount -= 1
    }
  }
}
