import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type Alert, type AlertSelection, addCounted, type ListedAlert, type ReadableAlert } from '@tocsin/protocol'
import { useCallback, useMemo } from 'react'
import { queries } from '../../api/queries.ts'
import { alertQueries } from '../alert/alert-queries.ts'
import { useArrivals } from './arrivals.ts'
import { mergeLive } from './live-entries.ts'

const noRecent: ReadableAlert[] = []
const noEntries: ListedAlert[] = []
const noArrivals: Alert[] = []

/**
 * The pages loaded so far, merged with the alerts that arrived since.
 * @param opened ids of arrived alerts that were read on this page
 */
export function useAlertPages(selection: AlertSelection, opened: ReadonlySet<string>) {
  const query = useInfiniteQuery(alertQueries.pages(selection))
  const { data, hasNextPage, isFetching, isFetchNextPageError, isPlaceholderData, fetchNextPage } = query
  const { data: recent = noRecent } = useQuery(queries.recentAlerts)
  const first = data?.pages[0]
  const since = useArrivals(first)
  // While another selection loads, the previous rows stay. New alerts do not belong to them.
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
