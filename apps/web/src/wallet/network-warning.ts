import { useEffect, useRef } from 'react'
import { toast } from '../ui/toast.tsx'
import { walletStore } from './wallet-store.ts'

const firstCheckMs = 2000
const focusGraceMs = 3000

type Situation = { chainId: number | null; requiredId: number; nowMs: number; loadedAtMs: number; focusedAtMs: number }

/**
 * True if a toast should be shown for a wallet on the wrong chain. False shortly after the page
 * load and after a tab focus, because wallets still update their state then. The badge shows the
 * wrong chain in any case.
 */
export function shouldWarn({ chainId, requiredId, nowMs, loadedAtMs, focusedAtMs }: Situation): boolean {
  if (chainId === null || chainId === requiredId) return false
  return nowMs - loadedAtMs >= firstCheckMs && nowMs - focusedAtMs >= focusGraceMs
}

/** Shows a "Wrong Network" toast when the wallet's chain or the required chain changes. */
export function useNetworkWarning(requiredNetwork: { id: number; name: string } | undefined): void {
  const focusedAtMs = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const handleFocus = () => {
      focusedAtMs.current = performance.now()
    }
    window.addEventListener('focus', handleFocus)
    return () => window.removeEventListener('focus', handleFocus)
  }, [])

  const requiredId = requiredNetwork?.id
  const name = requiredNetwork?.name
  const loadedAtMs = useRef<number | null>(null)
  useEffect(() => {
    if (requiredId === undefined) return
    const isFirstRun = loadedAtMs.current === null
    loadedAtMs.current ??= performance.now()
    const firstLoadedAtMs = loadedAtMs.current
    let lastChainId: number | null = null

    function check(): void {
      const { chainId } = walletStore.snapshot()
      if (chainId === lastChainId || requiredId === undefined) return
      lastChainId = chainId
      const situation = { chainId, requiredId, nowMs: performance.now(), focusedAtMs: focusedAtMs.current }
      if (!shouldWarn({ ...situation, loadedAtMs: firstLoadedAtMs })) return
      const description = `Please switch to ${name} to use this application.`
      toast({ title: 'Wrong Network', description, variant: 'destructive' })
    }

    // The effect runs again when an admin has changed the required chain. Then check the wallet
    // immediately.
    if (isFirstRun) lastChainId = walletStore.snapshot().chainId
    else check()
    return walletStore.subscribe(check)
  }, [requiredId, name])
}
