import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { type Alert, type AlertSelection, addCounted, type ListedAlert } from '@tocsin/protocol'
import { useCallback, useMemo } from 'react'
import { type AlertPages, alertQueries, findLoadedLists } from '../alert/alert-queries.ts'
import { isLocked } from '../alert/alert-texts.ts'
import { useArrivals } from './arrivals.ts'
import { mergeLiveAlerts } from './live-entries.ts'
import { filterLoadedResults } from './local-results.ts'

export type ReadableEntry = ListedAlert & { alert: Alert }
export const isReadableEntry = (entry: ListedAlert): entry is ReadableEntry => !isLocked(entry.alert)

const noEntries: never[] = []

/**
 * Returns the loaded pages without their locked rows, merged with the alerts that have arrived
 * since.
 * @param openedIds ids of new alerts that the user has read on this page
 */
export function useAlertPages(selection: AlertSelection, openedIds: ReadonlySet<string>) {
  const client = useQueryClient()
  const placeholderData = useCallback(
    (previous: AlertPages | undefined) => filterLoadedResults(findLoadedLists(client), selection) ?? previous,
    [client, selection],
  )
  const query = useInfiniteQuery({ ...alertQueries.pages(selection), placeholderData })
  const { data, hasNextPage, isFetching, isFetchNextPageError, isPlaceholderData, fetchNextPage } = query
  const firstPage = data?.pages[0]
  const { liveAlerts, arrivedAlerts: arrivedSinceRead } = useArrivals(firstPage)
  // While another selection loads, show loaded rows that match it, or else the previous rows. New
  // alerts are not merged into the previous rows.
  const showsPreviousSelection = isPlaceholderData && firstPage?.listKey !== JSON.stringify(selection)
  const arrived = showsPreviousSelection ? noEntries : arrivedSinceRead
  const entries = useMemo(
    () =>
      data ? mergeLiveAlerts(data.pages, selection, liveAlerts, arrived, openedIds).filter(isReadableEntry) : noEntries,
    [data, selection, liveAlerts, arrived, openedIds],
  )
  const loadedCount = data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0
  const loadNextPage = useCallback(() => {
    if (hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetching, isFetchNextPageError, fetchNextPage])
  return {
    ...query,
    /** True for placeholder data too, because the response can have more rows. */
    hasNextPage: hasNextPage || isPlaceholderData,
    /** True while the rows belong to the previous selection. */
    showsPreviousSelection,
    entries,
    arrived,
    first: firstPage,
    loadNextPage,
    total: firstPage && addCounted(firstPage.total, { count: entries.length - loadedCount, isMore: false }),
  }
}
