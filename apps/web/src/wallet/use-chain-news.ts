import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { invalidateChain, queries } from '../queries.ts'

/**
 * Notices that an admin has chosen another payment chain: through the stream, or the polled status.
 */
export function useChainNews(): void {
  const queryClient = useQueryClient()
  const { data: config } = useQuery(queries.config)
  const { data: chain } = useQuery(queries.chain)
  const { data: status } = useQuery(queries.status)
  const shownId = config?.chain.id
  const chosenId = chain && Number(chain.chainId)
  const runningId = status?.chain.id

  useEffect(() => {
    if (shownId === undefined) return
    if ([chosenId, runningId].some((id) => id !== undefined && id !== shownId)) invalidateChain(queryClient)
  }, [queryClient, shownId, chosenId, runningId])
}
