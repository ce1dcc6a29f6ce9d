import { useEffect, useRef } from 'react'
import { toast } from '../ui/toast.tsx'
import { walletStore } from './wallet-store.ts'

const firstCheckMs = 2000
const focusGraceMs = 3000

type Moment = { chainId: number | null; requiredId: number; nowMs: number; firstCheckAtMs: number; focusedAtMs: number }

/**
 * Whether a wallet that is on another chain deserves a toast. Not while the page has only just loaded, nor just after the tab got focus: then
 * wallets still catch up, and the badge says it anyway.
 */
export function deservesWarning({ chainId, requiredId, nowMs, firstCheckAtMs, focusedAtMs }: Moment): boolean {
  if (chainId === null || chainId === requiredId) return false
  return nowMs >= firstCheckAtMs && nowMs - focusedAtMs >= focusGraceMs
}

/** Says "Wrong Network" when the connected wallet changes to another chain than the required one. */
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
  useEffect(() => {
    if (requiredId === undefined) return
    const firstCheckAtMs = performance.now() + firstCheckMs
    let lastSeen = walletStore.snapshot().chainId
    return walletStore.subscribe(() => {
      const { chainId } = walletStore.snapshot()
      if (chainId === lastSeen) return
      lastSeen = chainId
      const nowMs = performance.now()
      if (!deservesWarning({ chainId, requiredId, nowMs, firstCheckAtMs, focusedAtMs: focusedAtMs.current })) return
      const description = `Please switch to ${name} to use this application.`
      toast({ title: 'Wrong Network', description, variant: 'destructive' })
    })
  }, [requiredId, name])
}
