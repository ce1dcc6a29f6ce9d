import { getChain, type PublicConfig } from '@tocsin/protocol'
import { type Chain, custom, defineChain, type EIP1193Provider, http, type Transport } from 'viem'

export type WalletCall = Parameters<EIP1193Provider['request']>[0]

/** The chain that payments are made on, as viem and wallets know chains. */
export function describeNetwork(config: PublicConfig): Chain {
  const { id, name, nativeCurrency, explorerUrl } = getChain(config.chain.id)
  return defineChain({
    id,
    name,
    nativeCurrency,
    rpcUrls: { default: { http: config.chain.rpcUrl === null ? [] : [config.chain.rpcUrl] } },
    ...(explorerUrl === null ? {} : { blockExplorers: { default: { name: 'Explorer', url: explorerUrl } } }),
  })
}

/** Whether the chain's RPC is served by this site: the content security policy lets the page talk to its own origin only. */
export function isServedHere(config: PublicConfig): boolean {
  const { rpcUrl } = config.chain
  return rpcUrl !== null && new URL(rpcUrl, location.origin).origin === location.origin
}

/** How the page reads the chain: from its own origin where that serves it, else through the connected wallet. */
export function chooseTransport(config: PublicConfig, request: (call: WalletCall) => Promise<unknown>): Transport {
  return config.chain.rpcUrl !== null && isServedHere(config) ? http(config.chain.rpcUrl) : custom({ request })
}
