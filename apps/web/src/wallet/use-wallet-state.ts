import { useSyncExternalStore } from 'react'
import { type WalletState, walletStore } from './wallet-store.ts'

export function useWalletState(): WalletState {
  return useSyncExternalStore(walletStore.subscribe, walletStore.snapshot)
}
