import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { alertQueries } from './alert-queries.ts'
import type { SignalOf } from './use-signal.ts'

const restMs = 150

/** The alert of a row, without its message while the list scrolls past a row that has none yet. */
export function useRested<T extends SignalOf>(alert: T): T {
  const client = useQueryClient()
  const [isResting, setIsResting] = useState(
    () => client.getQueryData(alertQueries.signal(alert.id, alert.createdAt).queryKey) !== undefined,
  )
  useEffect(() => {
    const timer = setTimeout(() => setIsResting(true), restMs)
    return () => clearTimeout(timer)
  }, [])
  return isResting ? alert : { ...alert, signalHash: null }
}
