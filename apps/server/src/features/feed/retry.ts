import type { Context } from '../../context.ts'
import { pause } from '../../db/leader.ts'

export const ATTEMPTS = 10
export const RETRY_MS = 1_000

/** Retries for the ten seconds that a database restart takes. Stops when `signal` aborts. */
export async function retry<T>(ctx: Context, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (signal.aborted || attempt === ATTEMPTS) throw error
      ctx.logger.error({ err: error, attempt }, 'storing messages of the feed failed')
      await pause(RETRY_MS, signal)
    }
  }
}
