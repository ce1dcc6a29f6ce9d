import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { queries } from '../queries.ts'
import { loadEngine } from './wallet-actions.ts'
import { walletStore } from './wallet-store.ts'

/** Loads the wallet code beside what is shown; the store says when it can't be had. */
export function useWalletEngine(): void {
  const { data: config, isError } = useQuery(queries.config)
  useEffect(() => {
    const giveUp = () => walletStore.update({ status: 'disconnected', hasFailed: true })
    if (config) loadEngine(config).catch(giveUp)
    else if (isError) giveUp()
  }, [config, isError])
}
