import type { WalletState } from './wallet-store.ts'

/**
 * The uid of the browser's only wallet, if a connection can be requested without a choice by the
 * user; else null. Null while a wallet is connected, because the user may want another account.
 * Null for a remote wallet, because it must be paired first.
 */
export function findOnlyWallet({ wallets, status }: Pick<WalletState, 'wallets' | 'status'>): string | null {
  if (status !== 'disconnected') return null
  const [firstWallet, ...otherWallets] = wallets ?? []
  return firstWallet && otherWallets.length === 0 && !firstWallet.isRemote ? firstWallet.uid : null
}
