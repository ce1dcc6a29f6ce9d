import { getChain, type PublicConfig } from '@tocsin/protocol'
import { type Chain, custom, defineChain, type EIP1193Provider, http, type Transport } from 'viem'

export type WalletCall = Parameters<EIP1193Provider['request']>[0]

/**
 * What a wallet that does not know the chain is told to reach it by: the public nodes that viem
 * names. Any other chain has none.
 */
const publicRpcUrls = new Map([
  [1, 'https://ethereum.reth.rs/rpc'],
  [137, 'https://polygon.drpc.org'],
  [56, 'https://56.rpc.thirdweb.com'],
  [10, 'https://mainnet.optimism.io'],
  [42161, 'https://arb1.arbitrum.io/rpc'],
  [5, 'https://5.rpc.thirdweb.com'],
  [11155111, 'https://11155111.rpc.thirdweb.com'],
])

/** A chain as viem and wallets know chains. */
export function describeNetwork(chainId: number, config: PublicConfig): Chain {
  const { id, name, nativeCurrency, explorerUrl } = getChain(chainId)
  const own = id === config.chain.id ? config.chain.rpcUrl : null
  const url = own ?? publicRpcUrls.get(id)
  return defineChain({
    id,
    name,
    nativeCurrency,
    rpcUrls: { default: { http: url === undefined ? [] : [url] } },
    ...(explorerUrl === null ? {} : { blockExplorers: { default: { name: 'Explorer', url: explorerUrl } } }),
  })
}

/**
 * Where this site itself serves the chain, or null: the content security policy lets the page talk
 * to its own origin only.
 */
export function servedUrl(chainId: number, { chain }: PublicConfig): string | null {
  if (chain.rpcUrl === null || chain.id !== chainId) return null
  return new URL(chain.rpcUrl, location.origin).origin === location.origin ? chain.rpcUrl : null
}

/**
 * How the page reads a chain: from its own origin where that serves it, else through the connected
 * wallet.
 */
export function chooseTransport(
  chainId: number,
  config: PublicConfig,
  request: (call: WalletCall) => Promise<unknown>,
): Transport {
  const url = servedUrl(chainId, config)
  return url === null ? custom({ request }) : http(url)
}
