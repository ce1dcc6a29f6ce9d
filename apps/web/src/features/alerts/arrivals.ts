import { useQuery } from '@tanstack/react-query'
import type { Alert, ReadableAlert } from '@tocsin/protocol'
import { useMemo, useState } from 'react'
import { queries } from '../../queries.ts'
import { isLocked } from './alert-words.ts'

/** What was there when something was read: the highest log index, and which of the newest alerts were known, if they were. */
type ReadAt = { lastIndex: number | null; known: ReadonlySet<string> | null }

/** Of the newest alerts, those that have come in since. An old one that is sent out late has a low index, but was not known. */
export function arrivedSince(recent: readonly ReadableAlert[], { lastIndex, known }: ReadAt): Alert[] {
  return recent.filter(
    (alert): alert is Alert =>
      !isLocked(alert) && (alert.logIndex > (lastIndex ?? -1) || (known !== null && !known.has(alert.id))),
  )
}

const none: ReadableAlert[] = []

/**
 * What the stream has brought since the server was asked.
 * @param answer undefined before there is one; `readAtMs` tells one answer from the next
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
