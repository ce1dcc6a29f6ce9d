import type { Logger } from 'pino'
import { createPublicClient, type PublicClient } from 'viem'
import { createQuorumTransport } from './quorum.ts'
import { createNodeTransport } from './rpc-node.ts'

/** Read-only viem client. Every call has a hard timeout. */
export type ChainClient = PublicClient

const TIMEOUT_MS = 5_000

/**
 * @param rpcUrls one node, or several nodes of which a majority must agree
 * @param timeoutMs timeout of each request; longer in tests
 */
export function createChainClient(rpcUrls: readonly string[], timeoutMs = TIMEOUT_MS): ChainClient {
  const [onlyUrl] = rpcUrls
  const transport =
    onlyUrl && rpcUrls.length === 1
      ? createNodeTransport(onlyUrl, timeoutMs)
      : createQuorumTransport(rpcUrls, timeoutMs)
  return createPublicClient({ transport, pollingInterval: 500, cacheTime: 0 })
}

/**
 * Checks at start that the node serves the configured chain. If the node is unreachable, only logs
 * a warning: alerts work without the anchor chain, and payments are credited as soon as the node
 * can be reached.
 * @throws Error if the node serves another chain
 */
export async function assertChainId(
  client: ChainClient,
  expectedChainId: number,
  setting: string,
  logger: Logger,
): Promise<void> {
  const actual = await client.getChainId().catch((error: Error) => {
    logger.warn({ err: error }, `${setting} can't be reached, continuing without it`)
    return expectedChainId
  })
  if (actual !== expectedChainId)
    throw new Error(`${setting} serves chain ${actual}, but chain ${expectedChainId} is configured`)
}
