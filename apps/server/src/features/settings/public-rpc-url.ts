import { localChainId } from '@tocsin/protocol'
import type { Context } from '../../context.ts'

/**
 * Returns the URL of a node of the chain that browsers may use, or null. This is the node that the
 * operator publishes for the anchor chain, or the demo's local chain. The server's own node URLs
 * are never published, because they may contain an API key.
 */
export function getPublicRpcUrl({ config }: Context, chainId: number): string | null {
  const { anchor, demo, http } = config
  if (chainId === anchor.chainId && anchor.publicRpcUrl !== null) return anchor.publicRpcUrl
  return demo && chainId === localChainId ? `${http.publicUrl}/dev/chain` : null
}
