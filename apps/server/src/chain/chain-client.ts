import type { Logger } from 'pino'
import { createPublicClient, fallback, http, type PublicClient } from 'viem'

/** A viem public client: reads only. Every call has a hard timeout. */
export type ChainClient = PublicClient

const TIMEOUT_MS = 5_000

/** @param rpcUrls tried in order; a silent one costs at most five seconds. */
export function createChainClient(rpcUrls: readonly string[]): ChainClient {
  const transports = rpcUrls.map((url) => http(url, { timeout: TIMEOUT_MS, retryCount: 0 }))
  return createPublicClient({ transport: fallback(transports, { retryCount: 0 }), pollingInterval: 500, cacheTime: 0 })
}

/**
 * Refuses a node that serves another chain than the one configured: the same address means nothing there. One that can't be reached right now
 * is no reason not to start: alerts flow without the anchor chain, and payments wait.
 */
export async function assertChainId(
  client: ChainClient,
  expected: number,
  setting: string,
  logger: Logger,
): Promise<void> {
  const actual = await client.getChainId().catch((error: Error) => {
    logger.warn({ err: error }, `${setting} can't be reached, going on without it for now`)
    return expected
  })
  if (actual !== expected) throw new Error(`${setting} answers chain ${actual}, but chain ${expected} is configured`)
}
