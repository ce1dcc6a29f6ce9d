import type { Context } from './context.ts'
import { pause } from './pause.ts'

export const MAX_ATTEMPTS = 10
export const RETRY_MS = 1_000

interface Attempts {
  /** Description of the work for the log. */
  description: string
  signal: AbortSignal
  pauseMs?: number
}

/**
 * Makes at most ten attempts, with pauses of one second by default, because a database or node
 * takes about ten seconds to restart.
 * @throws the error of the last attempt
 */
export async function retry<T>(
  { logger }: Pick<Context, 'logger'>,
  { description, signal, pauseMs = RETRY_MS }: Attempts,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (signal.aborted || attempt === MAX_ATTEMPTS) throw error
      logger.error({ err: error, attempt }, `${description} failed`)
      await pause(pauseMs, signal)
    }
  }
}
