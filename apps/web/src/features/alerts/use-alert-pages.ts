import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { type AlertSelection, addCounted } from '@tocsin/protocol'
import { useCallback, useMemo } from 'react'
import { type AlertPages, alertQueries, loadedLists } from '../alert/alert-queries.ts'
import { useArrivals } from './arrivals.ts'
import { mergeLive } from './live-entries.ts'
import { localResults } from './local-results.ts'

const none: never[] = []

/**
 * Returns the loaded pages, merged with the alerts that have arrived since.
 * @param opened ids of new alerts that the user has read on this page
 */
export function useAlertPages(selection: AlertSelection, opened: ReadonlySet<string>) {
  const client = useQueryClient()
  const placeholderData = useCallback(
    (previous: AlertPages | undefined) => localResults(loadedLists(client), selection) ?? previous,
    [client, selection],
  )
  const query = useInfiniteQuery({ ...alertQueries.pages(selection), placeholderData })
  const { data, hasNextPage, isFetching, isFetchNextPageError, isPlaceholderData, fetchNextPage } = query
  const first = data?.pages[0]
  const { live, arrived: since } = useArrivals(first)
  // While another selection loads, show loaded rows that match it, or else the previous rows. New
  // alerts are not merged into the previous rows.
  const isPrevious = isPlaceholderData && first?.of !== JSON.stringify(selection)
  const arrived = isPrevious ? none : since
  const entries = useMemo(
    () => (data ? mergeLive(data.pages, selection, live, arrived, opened) : none),
    [data, selection, live, arrived, opened],
  )
  const loaded = data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0
  const readMore = useCallback(() => {
    if (hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetching, isFetchNextPageError, fetchNextPage])
  return {
    ...query,
    /** True for placeholder data too, because it is not the last page. */
    hasNextPage: hasNextPage || isPlaceholderData,
    /** True while the rows belong to the previous selection. */
    isPrevious,
    entries,
    arrived,
    first,
    readMore,
    total: first && addCounted(first.total, { count: entries.length - loaded, isMore: false }),
  }
}
