import { useQuery } from '@tanstack/react-query'
import type { Alert, ReadableAlert } from '@tocsin/protocol'
import { useMemo, useState } from 'react'
import { queries } from '../../api/queries.ts'
import { isLocked } from '../alert/alert-words.ts'

/**
 * What the client knew when a list was read: the highest log index, and the ids of the recent
 * alerts. `known` is null if the recent alerts were not loaded at that time.
 */
type ReadAt = { lastIndex: number | null; known: ReadonlySet<string> | null }

/**
 * Returns the recent alerts that arrived after the list was read. An alert that was broadcast late
 * has a low log index, so it is recognised by its unknown id.
 */
export function arrivedSince(recent: readonly ReadableAlert[], { lastIndex, known }: ReadAt): Alert[] {
  return recent.filter(
    (alert): alert is Alert =>
      !isLocked(alert) && (alert.logIndex > (lastIndex ?? -1) || (known !== null && !known.has(alert.id))),
  )
}

const none: ReadableAlert[] = []

/**
 * Returns the alerts that the stream has delivered since the list was read.
 * @param answer undefined before the first response; `readAtMs` identifies the response
 */
export function useArrivals(answer: { readAtMs: number; lastIndex: number | null } | undefined): Alert[] {
  const { data: recent } = useQuery(queries.recentAlerts)
  const [at, setAt] = useState<{ readAtMs: number; known: ReadAt['known'] }>({ readAtMs: -1, known: null })
  const readAtMs = answer?.readAtMs ?? -1
  if (at.readAtMs !== readAtMs) {
    const ids = recent?.flatMap((alert) => (isLocked(alert) ? [] : [alert.id]))
    setAt({ readAtMs, known: ids ? new Set(ids) : null })
  }
  const lastIndex = answer?.lastIndex ?? null
  const { known } = at
  return useMemo(
    () => (readAtMs === -1 ? [] : arrivedSince(recent ?? none, { lastIndex, known })),
    [recent, readAtMs, lastIndex, known],
  )
}
