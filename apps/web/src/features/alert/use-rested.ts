import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { alertQueries } from './alert-queries.ts'
import type { SignalOf } from './use-signal.ts'

const restMs = 150

/**
 * True once a row may read its message: at once if it is loaded, else when the list does not scroll
 * past the row. Rows that may not have no query: twenty of them are drawn at once.
 */
export function useRested({ id, createdAt }: SignalOf): boolean {
  const client = useQueryClient()
  const [isResting, setIsResting] = useState(
    () => client.getQueryData(alertQueries.signal(id, createdAt).queryKey) !== undefined,
  )
  useEffect(() => {
    const timer = setTimeout(() => setIsResting(true), restMs)
    return () => clearTimeout(timer)
  }, [])
  return isResting
}
