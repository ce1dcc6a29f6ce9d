import type { Order } from '@tocsin/protocol'
import { ApiError } from '../../api/api.ts'

const backoffDelaysMs = [1000, 2000, 4000, 8000]

export interface ReportDependencies {
  sendReport: (orderId: string, hash: string) => Promise<Order>
  wait: (ms: number) => Promise<void>
  signal: AbortSignal
}

/**
 * Reports the transaction hash to the server, with retries until it answers. Returns null if
 * aborted. The report is a hint: the server's watcher also finds the payment without it, but later.
 * @throws ApiError if the server rejects the hash
 */
export async function reportTransaction(
  orderId: string,
  hash: string,
  dependencies: ReportDependencies,
): Promise<Order | null> {
  for (let tries = 0; !dependencies.signal.aborted; tries += 1) {
    try {
      return await dependencies.sendReport(orderId, hash)
    } catch (error) {
      if (!isRetryable(error)) throw error
    }
    await dependencies.wait(backoffDelaysMs[Math.min(tries, backoffDelaysMs.length - 1)] ?? 0)
  }
  return null
}

function isRetryable(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true
  return error.status === 429 || error.status >= 500
}
