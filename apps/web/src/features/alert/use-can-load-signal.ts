import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { alertQueries } from './alert-queries.ts'
import type { SignalOf } from './use-signal.ts'

const delayMs = 150

/**
 * Returns whether a row may read its feed message: immediately if the message is in the cache, else
 * after the row has been mounted for `delayMs`, so that rows that are scrolled past read nothing.
 * Until then, callers must not create a query for the message, because twenty queries in one render
 * are slow.
 */
export function useCanLoadSignal({ id, createdAt }: SignalOf): boolean {
  const client = useQueryClient()
  const [canLoad, setCanLoad] = useState(
    () => client.getQueryData(alertQueries.signal(id, createdAt).queryKey) !== undefined,
  )
  useEffect(() => {
    const timer = setTimeout(() => setCanLoad(true), delayMs)
    return () => clearTimeout(timer)
  }, [])
  return canLoad
}
