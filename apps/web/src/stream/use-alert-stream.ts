import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { queries } from '../api/queries.ts'
import type { AlertStreamOptions } from './account-stream.ts'
import { streamStatus } from './stream-status.ts'

/**
 * Keeps one WebSocket open while `walletAddress` is not null. The code of the stream is loaded on
 * first use, because it contains large schemas that the page does not need for rendering.
 */
export function useAlertStream(options: AlertStreamOptions): void {
  const { userId, walletAddress, announce } = options
  const queryClient = useQueryClient()
  // The stream resumes after the newest alert in the list, so the list must be loaded first.
  const { isPending } = useQuery(queries.recentAlerts)

  useEffect(() => {
    if (walletAddress === null || isPending) return
    const setState = (state: 'reconnecting' | 'offline', isNeeded: boolean) =>
      streamStatus.setState(state, isNeeded, new Date().toISOString())
    let isStopped = false
    let close = () => {}
    setState('reconnecting', true)
    import('./account-stream.ts').then(
      ({ openAccountStream }) => {
        if (isStopped) return
        close = openAccountStream(queryClient, { userId, walletAddress, announce })
      },
      (error: unknown) => {
        reportError(error)
        if (!isStopped) setState('offline', true)
      },
    )
    return () => {
      isStopped = true
      close()
      setState('offline', false)
    }
  }, [queryClient, userId, walletAddress, isPending, announce])
}
