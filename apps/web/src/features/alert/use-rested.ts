import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { alertQueries } from './alert-queries.ts'
import type { SignalOf } from './use-signal.ts'

const restMs = 150

/**
 * Returns whether a row may read its feed message: immediately if the message is in the cache, else
 * after the row has been mounted for `restMs`, so that rows that are scrolled past read nothing.
 * Until then a row has no query, because twenty rows are drawn at once.
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
