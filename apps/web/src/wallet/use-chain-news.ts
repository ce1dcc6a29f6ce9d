import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { invalidateChain, queries } from '../queries.ts'
import { useStreamStatus } from '../stream-status.ts'

const withoutStreamMs = 10_000
const withStreamMs = 30_000

/**
 * Notices that an admin has chosen another payment chain. The stream says so at once; a page
 * without one asks every few seconds.
 */
export function useChainNews(): void {
  const queryClient = useQueryClient()
  const { state } = useStreamStatus()
  const { data: config } = useQuery(queries.config)
  const { data: chain } = useQuery(queries.chain)
  const { data: status } = useQuery({
    ...queries.status,
    refetchInterval: state === 'live' ? withStreamMs : withoutStreamMs,
    refetchOnWindowFocus: 'always',
  })
  const shownId = config?.chain.id
  const chosenId = chain && Number(chain.chainId)
  const runningId = status?.chain.id

  useEffect(() => {
    if (shownId === undefined) return
    if ([chosenId, runningId].some((id) => id !== undefined && id !== shownId)) invalidateChain(queryClient)
  }, [queryClient, shownId, chosenId, runningId])
}
