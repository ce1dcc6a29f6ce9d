import { useEffect, useRef } from 'react'
import { toast } from '../ui/toast.tsx'
import { walletStore } from './wallet-store.ts'

const firstCheckMs = 2000
const focusGraceMs = 3000

type Moment = { chainId: number | null; requiredId: number; nowMs: number; loadedAtMs: number; focusedAtMs: number }

/**
 * Whether a wallet that is on another chain deserves a toast. Not while the page has only just
 * loaded, nor just after the tab got focus: then wallets still catch up, and the badge says it
 * anyway.
 */
export function deservesWarning({ chainId, requiredId, nowMs, loadedAtMs, focusedAtMs }: Moment): boolean {
  if (chainId === null || chainId === requiredId) return false
  return nowMs - loadedAtMs >= firstCheckMs && nowMs - focusedAtMs >= focusGraceMs
}

/**
 * Says "Wrong Network" when the connected wallet changes to another chain than the required one, or
 * the required one changes.
 */
export function useNetworkWarning(required: { id: number; name: string } | undefined): void {
  const focusedAtMs = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const noteFocus = () => {
      focusedAtMs.current = performance.now()
    }
    window.addEventListener('focus', noteFocus)
    return () => window.removeEventListener('focus', noteFocus)
  }, [])

  const requiredId = required?.id
  const name = required?.name
  const loadedAtMs = useRef<number | null>(null)
  useEffect(() => {
    if (requiredId === undefined) return
    const isFirst = loadedAtMs.current === null
    loadedAtMs.current ??= performance.now()
    const sinceMs = loadedAtMs.current
    let lastSeen: number | null = null

    function check(): void {
      const { chainId } = walletStore.snapshot()
      if (chainId === lastSeen || requiredId === undefined) return
      lastSeen = chainId
      const moment = { chainId, requiredId, nowMs: performance.now(), focusedAtMs: focusedAtMs.current }
      if (!deservesWarning({ ...moment, loadedAtMs: sinceMs })) return
      const description = `Please switch to ${name} to use this application.`
      toast({ title: 'Wrong Network', description, variant: 'destructive' })
    }

    // An admin has chosen another chain: the wallet is the one that was right until now.
    if (isFirst) lastSeen = walletStore.snapshot().chainId
    else check()
    return walletStore.subscribe(check)
  }, [requiredId, name])
}
