import { localChainId } from '@tocsin/protocol'
import type { Context } from '../../context.ts'

/**
 * Only the demo's local chain is open to browsers. An operator's node URL may contain an API key
 * and is never published.
 */
export function publicRpcUrl({ config }: Context, chainId: number): string | null {
  return config.demo && chainId === localChainId ? `${config.http.publicUrl}/dev/chain` : null
}
