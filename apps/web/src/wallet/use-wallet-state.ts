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
 * True if a wallet is connected or its connection is being restored. The second case lets the
 * signed-in pages show their layout before the wallet code is loaded, so that the layout does not
 * shift.
 */
export function useHasWallet(): boolean {
  return useSyncExternalStore(walletStore.subscribe, () => {
    const { status } = walletStore.snapshot()
    return status === 'connected' || status === 'reconnecting'
  })
}
