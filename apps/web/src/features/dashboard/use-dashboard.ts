import { useQuery } from '@tanstack/react-query'
import type { Alert, ListedAlert } from '@tocsin/protocol'
import { type RefObject, useCallback, useMemo, useRef, useState } from 'react'
import { alertQueries } from '../alert/alert-queries.ts'
import { isFiltered } from '../alert/alert-search-params.ts'
import { useAlertSearchParams } from '../alert/use-alert-search-params.ts'
import { useSelection } from '../alert/use-selection.ts'
import { useIsReading, useLiveList } from '../alerts/live-list.ts'
import { isReadableEntry, type ReadableEntry, useAlertPages } from '../alerts/use-alert-pages.ts'
import { useMarkReadOnce, useReadAlerts } from '../alerts/use-read-alerts.ts'
import { useSample } from '../alerts/use-sample.ts'

const getLogIndex = ({ alert }: ListedAlert) => alert.logIndex

/**
 * Returns the list of the dashboard and the alert that the URL opens. Without a subscription, the
 * list is a sample that contains only public alerts.
 */
export function useDashboard() {
  const { searchParams, refine, open, clear, close } = useAlertSearchParams()
  const { selection: chosenSelection, isPending, isWatchlistEmpty } = useSelection(searchParams)
  const sample = useSample(chosenSelection)
  const reading = useReadAlerts()
  const pages = useAlertPages(sample.selection, reading.opened)
  const { entries } = pages
  const showsNewest = !isFiltered(searchParams) && !pages.isPlaceholderData
  const newestAlerts = useNewest(showsNewest ? entries : null)
  const listRef = useRef<HTMLElement>(null)
  const liveList = useLiveList(entries, getLogIndex, listRef, pages.first?.listKey)
  const linkedAlert = useLinkedAlert(searchParams.alert ?? null, entries)
  useMarkReadOnce(linkedAlert.entry, reading.markAsRead)
  const selectAlert = useCallback(({ id }: Alert) => refine({ alert: id }), [refine])
  return {
    searchParams,
    refine,
    open,
    clear,
    pages,
    entries,
    /** The listed alerts. While a filter is set, the alerts that were listed before it was set. */
    newest: newestAlerts,
    /** The selection of the list without filters. */
    unfiltered: sample.unfiltered,
    list: listRef,
    live: liveList,
    linked: linkedAlert,
    select: selectAlert,
    close,
    isSample: sample.isSample,
    isPending: isPending || sample.isPending,
    /** Loads what failed to load again. Null if nothing failed. */
    retry: sample.retry ?? (pages.isError ? () => void pages.refetch() : null),
    isWatchlistEmpty,
  }
}

export type Dashboard = ReturnType<typeof useDashboard>

const noEntries: readonly ReadableEntry[] = []

/**
 * Returns the alerts of the entries. If `entries` is null, returns the previous alerts, because the
 * pulse timeline keeps showing them while a filter is set.
 */
function useNewest(entries: readonly ReadableEntry[] | null): readonly Alert[] {
  const [newest, setNewest] = useState(noEntries)
  if (entries !== null && entries !== newest) setNewest(entries)
  return useMemo(() => newest.map(({ alert }) => alert), [newest])
}

/**
 * Returns the alert that the URL opens, even if it is further down in the list or excluded by the
 * filters. `retry` is null unless the alert could not be loaded.
 */
export function useLinkedAlert(id: string | null, entries: readonly ReadableEntry[]) {
  const isLinked = (entry: ListedAlert) => entry.id === id
  const listedEntry = entries.find(isLinked)
  const { data, isPending, isLoadingError, refetch } = useQuery({
    ...alertQueries.one(id ?? ''),
    enabled: id !== null && listedEntry === undefined,
  })
  const foundEntry = listedEntry ?? data?.items.filter(isReadableEntry).find(isLinked)
  return {
    id,
    entry: id === null ? undefined : foundEntry,
    isPending: id !== null && !foundEntry && isPending,
    retry: isLoadingError ? () => void refetch() : null,
  }
}

/**
 * Returns the alert that the detail shows by default: the newest. While the user reads inside
 * `element`, the alert stays the same, with its current data, until `showNewest` is called.
 * @param entries the listed alerts with their current data
 */
export function useShownAlert(
  newest: Alert | undefined,
  entries: readonly ReadableEntry[],
  element: RefObject<HTMLElement | null>,
) {
  const isReading = useIsReading(element)
  const [followed, setFollowed] = useState(newest)
  const isSameAlert = followed?.id === newest?.id
  const shownAlert = isSameAlert || !isReading || !followed ? newest : (findAlert(entries, followed.id) ?? followed)
  if (followed !== shownAlert) setFollowed(shownAlert)
  return { followed: shownAlert, showNewest: isSameAlert ? null : () => setFollowed(newest) }
}

const findAlert = (entries: readonly ReadableEntry[], id: string) => entries.find((entry) => entry.id === id)?.alert
