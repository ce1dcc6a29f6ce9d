import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { queries } from '../queries.ts'
import { loadEngine } from './wallet-actions.ts'
import { walletStore } from './wallet-store.ts'

/** Loads the wallet code beside what is shown; the store says when it can't be had. */
export function useWalletEngine(): void {
  useEngineWhen(true)
}

/**
 * The same as soon as there is a wallet to restore or somebody who moves: by the time a button is
 * pressed it is under way.
 */
export function useWalletEngineOnUse(): void {
  const [isUsed, setIsUsed] = useState(() => walletStore.snapshot().status === 'reconnecting')
  useEffect(() => {
    if (isUsed) return
    const use = () => setIsUsed(true)
    for (const event of signsOfUse) window.addEventListener(event, use, { passive: true })
    return () => {
      for (const event of signsOfUse) window.removeEventListener(event, use)
    }
  }, [isUsed])
  useEngineWhen(isUsed)
}

const signsOfUse = ['pointermove', 'pointerdown', 'keydown', 'focusin', 'scroll'] as const

function useEngineWhen(isWanted: boolean): void {
  const { data: config, isError } = useQuery(queries.config)
  useEffect(() => {
    if (!isWanted) return
    const giveUp = () => walletStore.update({ status: 'disconnected', hasFailed: true })
    if (config) loadEngine(config).catch(giveUp)
    else if (isError) giveUp()
  }, [isWanted, config, isError])
}
