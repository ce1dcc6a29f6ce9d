import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { queries } from '../api/queries.ts'
import { loadEngine } from './wallet-actions.ts'
import { walletStore } from './wallet-store.ts'

/** Lazy loads the wallet code. If that fails, sets `hasFailed` in the store. */
export function useWalletEngine(): void {
  useEngineIf(true)
}

/**
 * Loads the wallet code at the first user interaction, or immediately if there is a connection to
 * restore. It is usually ready by the time the user presses a button.
 */
export function useWalletEngineOnInteraction(): void {
  const [isNeeded, setIsNeeded] = useState(() => walletStore.snapshot().status === 'reconnecting')
  useEffect(() => {
    if (isNeeded) return
    const load = () => setIsNeeded(true)
    for (const event of interactionEvents) window.addEventListener(event, load, { passive: true })
    return () => {
      for (const event of interactionEvents) window.removeEventListener(event, load)
    }
  }, [isNeeded])
  useEngineIf(isNeeded)
}

const interactionEvents = ['pointermove', 'pointerdown', 'keydown', 'focusin', 'scroll'] as const

function useEngineIf(isNeeded: boolean): void {
  const { data: config, isError } = useQuery(queries.config)
  useEffect(() => {
    if (!isNeeded) return
    const fail = () => walletStore.update({ status: 'disconnected', hasFailed: true })
    if (config) loadEngine(config).catch(fail)
    else if (isError) fail()
  }, [isNeeded, config, isError])
}
