import { startTransition, useEffect, useState } from 'react'
import { type WalletState, walletStore } from './wallet-store.ts'

/**
 * Changes are transitions, because the header and the whole page depend on the wallet:
 * `useSyncExternalStore` would render both in one long task.
 */
export function useWalletState(): WalletState {
  const [state, setState] = useState(walletStore.snapshot)
  useEffect(() => {
    const update = () => startTransition(() => setState(walletStore.snapshot()))
    // The store may have changed since the first render.
    update()
    return walletStore.subscribe(update)
  }, [])
  return state
}
