import { getChain, type PublicConfig } from '@tocsin/protocol'
import { type Chain, custom, defineChain, type EIP1193Provider, http, type Transport } from 'viem'

export type WalletCall = Parameters<EIP1193Provider['request']>[0]

/** Public RPC URLs (from viem) for adding a chain to a wallet that does not know it. */
const publicRpcUrls = new Map([
  [1, 'https://ethereum.reth.rs/rpc'],
  [137, 'https://polygon.drpc.org'],
  [56, 'https://56.rpc.thirdweb.com'],
  [10, 'https://mainnet.optimism.io'],
  [42161, 'https://arb1.arbitrum.io/rpc'],
  [5, 'https://5.rpc.thirdweb.com'],
  [11155111, 'https://11155111.rpc.thirdweb.com'],
])

/** The viem definition of a chain. */
export function describeNetwork(chainId: number, config: PublicConfig): Chain {
  const { id, name, nativeCurrency, explorerUrl } = getChain(chainId)
  const ownUrl = id === config.chain.id ? config.chain.rpcUrl : null
  const url = ownUrl ?? publicRpcUrls.get(id)
  return defineChain({
    id,
    name,
    nativeCurrency,
    rpcUrls: { default: { http: url === undefined ? [] : [url] } },
    ...(explorerUrl === null ? {} : { blockExplorers: { default: { name: 'Explorer', url: explorerUrl } } }),
  })
}

/**
 * The chain's RPC URL if it is on this site's origin, else null. The content security policy blocks
 * other origins.
 */
export function findServerRpcUrl(chainId: number, { chain }: PublicConfig): string | null {
  if (chain.rpcUrl === null || chain.id !== chainId) return null
  return new URL(chain.rpcUrl, location.origin).origin === location.origin ? chain.rpcUrl : null
}

/** Returns a transport that reads the chain through this site if possible, else the wallet. */
export function chooseTransport(
  chainId: number,
  config: PublicConfig,
  request: (call: WalletCall) => Promise<unknown>,
): Transport {
  const url = findServerRpcUrl(chainId, config)
  return url === null ? custom({ request }) : http(url)
}
