import type { WalletState } from './wallet-store.ts'

/**
 * The uid of the browser's only wallet, if a request to it needs no choice; else null. A connected
 * user chooses another account, and a remote wallet is paired with a code.
 */
export function onlyWallet({ wallets, status }: Pick<WalletState, 'wallets' | 'status'>): string | null {
  if (status !== 'disconnected') return null
  const [first, ...others] = wallets ?? []
  return first && others.length === 0 && !first.isRemote ? first.uid : null
}
