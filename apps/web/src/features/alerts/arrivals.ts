import { useQuery } from '@tanstack/react-query'
import type { Alert, AlertSearch, ListedAlert, ReadableAlert } from '@tocsin/protocol'
import { useMemo, useState } from 'react'
import { queries } from '../../api/queries.ts'
import { unlistedUpdateIds } from '../../stream/updated-only.ts'
import { isLocked } from '../alert/alert-texts.ts'
import { updateEntries } from './live-entries.ts'

/**
 * State when a list was read: the highest log index in the response, and the ids of the recent
 * alerts in the cache (`queries.recentAlerts`). `knownIds` is undefined or null if they were not
 * loaded at that time.
 */
type ListSnapshot = { lastIndex: number | null; knownIds: ReadonlySet<string> | null | undefined }

/**
 * Returns the recent alerts that arrived after the list was read. An alert that was broadcast late
 * has a low log index, so it is recognised by its unknown id.
 */
export function listArrivedAlerts(
  recentAlerts: readonly ReadableAlert[],
  { lastIndex, knownIds }: ListSnapshot,
): Alert[] {
  return recentAlerts.filter(
    (alert): alert is Alert =>
      !isLocked(alert) &&
      (alert.logIndex > (lastIndex ?? -1) || (knownIds?.has(alert.id) === false && !unlistedUpdateIds.has(alert.id))),
  )
}

interface Arrivals {
  /** All alerts that the recent alerts have contained since the list was read. */
  liveAlerts: readonly ReadableAlert[]
  /** The alerts of `liveAlerts` that arrived after the list was read. */
  arrivedAlerts: readonly Alert[]
  knownIds?: ListSnapshot['knownIds']
  /** The response and the recent alerts from which the other fields were computed. */
  readAtMs?: number | undefined
  recentAlerts?: readonly ReadableAlert[] | undefined
}

const noArrivals: Arrivals = { liveAlerts: [], arrivedAlerts: [] }

/**
 * Returns the alerts that the stream has delivered since the list was read. The list of recent
 * alerts alone is not enough: when it is refetched, for example after a reconnect, it contains only
 * the newest ten.
 * @param response undefined before the first response; `readAtMs` identifies the response
 */
export function useArrivals(response: { readAtMs: number; lastIndex: number | null } | undefined): Arrivals {
  const { data: recentAlerts } = useQuery(queries.recentAlerts)
  const [arrivals, setArrivals] = useState(noArrivals)
  const readAtMs = response?.readAtMs
  const isSameList = arrivals.readAtMs === readAtMs
  if (!isSameList || arrivals.recentAlerts !== recentAlerts) {
    const knownIds = isSameList ? arrivals.knownIds : recentAlerts && new Set(recentAlerts.map(({ id }) => id))
    const alerts = [...(isSameList ? arrivals.liveAlerts : []), ...(recentAlerts ?? [])]
    // Keyed by log index, because a locked row has a different id. Newer data replaces older data.
    const liveAlerts = [...new Map(alerts.map((alert) => [alert.logIndex, alert])).values()]
    setArrivals({
      readAtMs,
      recentAlerts,
      knownIds,
      liveAlerts,
      arrivedAlerts: response ? listArrivedAlerts(liveAlerts, { ...response, knownIds }) : [],
    })
  }
  return arrivals
}

/** Returns the alerts of a response, with the newer data that the stream has delivered since. */
export function useUpdatedEntries(response: AlertSearch | undefined, readAtMs: number): ListedAlert[] {
  const { liveAlerts } = useArrivals(response && { readAtMs, lastIndex: response.lastIndex })
  return useMemo(() => updateEntries(response?.items ?? [], liveAlerts), [response, liveAlerts])
}
