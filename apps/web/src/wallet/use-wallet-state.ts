import { useSyncExternalStore } from 'react'
import { type WalletState, walletStore } from './wallet-store.ts'

export function useWalletState(): WalletState {
  return useSyncExternalStore(walletStore.subscribe, walletStore.snapshot)
}

/** Renders again only when this field changes, unlike `useWalletState`. */
export function useWalletField<Name extends keyof WalletState>(name: Name): WalletState[Name] {
  return useSyncExternalStore(walletStore.subscribe, () => walletStore.snapshot()[name])
}

/**
 * True also while the connection is restored: the signed-in pages do not wait for the wallet code,
 * and their layout does not shift.
 */
export function useHasWallet(): boolean {
  return useSyncExternalStore(walletStore.subscribe, () => {
    const { status } = walletStore.snapshot()
    return status === 'connected' || status === 'reconnecting'
  })
}
