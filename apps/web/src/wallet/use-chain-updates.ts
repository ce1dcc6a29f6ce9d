import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { invalidateChain, queries } from '../api/queries.ts'

/**
 * Refetches when an admin changes the payment chain, as seen in the stream or the polled status.
 */
export function useChainUpdates(): void {
  const queryClient = useQueryClient()
  const { data: config } = useQuery(queries.config)
  const { data: chain } = useQuery(queries.chain)
  const { data: status } = useQuery(queries.status)
  const configId = config?.chain.id
  const streamId = chain && Number(chain.chainId)
  const statusId = status?.chain.id

  useEffect(() => {
    if (configId === undefined) return
    if ([streamId, statusId].some((id) => id !== undefined && id !== configId)) invalidateChain(queryClient)
  }, [queryClient, configId, streamId, statusId])
}
