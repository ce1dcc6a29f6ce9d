import type { Order } from '@tocsin/protocol'
import { ApiError } from '../../api.ts'

const waitsMs = [1000, 2000, 4000, 8000]

export interface ReportTools {
  post: (orderId: string, hash: string) => Promise<Order>
  wait: (ms: number) => Promise<void>
  signal: AbortSignal
}

/**
 * Names the transaction to the server until it has answered. The server finds the payment without
 * it as well, only later. Null when aborted.
 * @throws ApiError when the server says no
 */
export async function reportTransaction(orderId: string, hash: string, tools: ReportTools): Promise<Order | null> {
  for (let tries = 0; !tools.signal.aborted; tries += 1) {
    try {
      return await tools.post(orderId, hash)
    } catch (error) {
      if (!isWorthRetrying(error)) throw error
    }
    await tools.wait(waitsMs[Math.min(tries, waitsMs.length - 1)] ?? 0)
  }
  return null
}

function isWorthRetrying(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true
  return error.status === 429 || error.status >= 500
}
