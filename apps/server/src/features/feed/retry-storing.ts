import type { Context } from '../../context.ts'
import { retry } from '../../retry.ts'

/**
 * Stores messages of the feed, with several attempts.
 * @throws the error of the last attempt
 */
export function retryStoring<T>(ctx: Context, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return retry(ctx, { description: 'storing messages of the feed', signal }, work)
}
