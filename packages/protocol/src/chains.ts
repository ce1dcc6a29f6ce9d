export interface Chain {
  id: number
  name: string
  nativeCurrency: { name: string; symbol: string; decimals: 18 }
  explorerUrl: string | null
}

const ether = { name: 'Ether', symbol: 'ETH', decimals: 18 } as const

export const localChainId = 31337

/** Chains that an admin can select for payments. */
export const supportedChainIds: readonly number[] = [1, 137, 56, 10, 42161, 5, 11155111]

const chains: readonly Chain[] = [
  { id: 1, name: 'Ethereum Mainnet', nativeCurrency: ether, explorerUrl: 'https://etherscan.io' },
  {
    id: 137,
    name: 'Polygon (MATIC)',
    nativeCurrency: { name: 'MATIC', symbol: 'MATIC', decimals: 18 },
    explorerUrl: 'https://polygonscan.com',
  },
  {
    id: 56,
    name: 'BNB Smart Chain (BSC)',
    nativeCurrency: { name: 'BNB', symbol: 'BNB', decimals: 18 },
    explorerUrl: 'https://bscscan.com',
  },
  { id: 10, name: 'Optimism', nativeCurrency: ether, explorerUrl: 'https://optimistic.etherscan.io' },
  { id: 42161, name: 'Arbitrum One', nativeCurrency: ether, explorerUrl: 'https://arbiscan.io' },
  { id: 5, name: 'Goerli Testnet', nativeCurrency: ether, explorerUrl: 'https://goerli.etherscan.io' },
  { id: 11155111, name: 'Sepolia Testnet', nativeCurrency: ether, explorerUrl: 'https://sepolia.etherscan.io' },
  {
    id: 43114,
    name: 'Avalanche C-Chain',
    nativeCurrency: { name: 'Avalanche', symbol: 'AVAX', decimals: 18 },
    explorerUrl: 'https://snowtrace.io',
  },
  { id: localChainId, name: 'Local Chain', nativeCurrency: ether, explorerUrl: null },
]

/**
 * Name, native currency and explorer of a chain. An unknown id gets a generic chain ("Chain 7",
 * ETH, no explorer).
 */
export function getChain(id: number): Chain {
  return (
    chains.find((chain) => chain.id === id) ?? { id, name: `Chain ${id}`, nativeCurrency: ether, explorerUrl: null }
  )
}
