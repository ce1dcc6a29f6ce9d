import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type Alert, type AlertSelection, addCounted, type ListedAlert, type ReadableAlert } from '@tocsin/protocol'
import { useCallback, useMemo } from 'react'
import { queries } from '../../queries.ts'
import { alertQueries } from './alert-queries.ts'
import { useArrivals } from './arrivals.ts'
import { mergeLive } from './live-entries.ts'

const noRecent: ReadableAlert[] = []
const noEntries: ListedAlert[] = []
const noArrivals: Alert[] = []

/**
 * What is selected: the pages that were read so far, and what has come in since.
 * @param opened of what has come in, those that were read here
 */
export function useAlertPages(selection: AlertSelection, opened: ReadonlySet<string>) {
  const query = useInfiniteQuery(alertQueries.pages(selection))
  const { data, hasNextPage, isFetching, isFetchNextPageError, isPlaceholderData, fetchNextPage } = query
  const { data: recent = noRecent } = useQuery(queries.recentAlerts)
  const first = data?.pages[0]
  const since = useArrivals(first)
  // While another selection is read, the rows of the one before stay: what comes in is not for them.
  const arrived = isPlaceholderData ? noArrivals : since
  const entries = useMemo(
    () => (data ? mergeLive(data.pages, selection, recent, arrived, opened) : noEntries),
    [data, selection, recent, arrived, opened],
  )
  const loaded = data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0
  const readMore = useCallback(() => {
    if (hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetching, isFetchNextPageError, fetchNextPage])
  return {
    ...query,
    entries,
    arrived,
    first,
    readMore,
    total: first && addCounted(first.total, { count: entries.length - loaded, isMore: false }),
  }
}
