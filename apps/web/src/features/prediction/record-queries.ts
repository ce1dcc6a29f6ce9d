import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'

/** Origin of the alerts in a track record. Alerts of a demo have a separate track record. */
export type RecordOrigin = 'feed' | 'demo'

/**
 * Selects the alerts behind a figure. An alert must match every given part: the status, the set,
 * and the row `key` of the table `by`, as in `TrackRecordSelection`. The values come from the URL,
 * so they can be unknown.
 */
export type RecordSelection = { status?: string; set?: string; by?: string; key?: string }

const firstCursor = ''

export const recordQueries = {
  /** Refetched at most once a minute, because the record changes only with a new anchor. */
  record: (origin: RecordOrigin) =>
    queryOptions({
      queryKey: ['/api/track-record', origin],
      queryFn: ({ signal }) => call('trackRecord', { query: { origin }, signal }),
      staleTime: MINUTE_MS,
    }),
  alerts: (origin: RecordOrigin, selection: RecordSelection) =>
    infiniteQueryOptions({
      queryKey: ['/api/track-record/alerts', origin, selection],
      queryFn: ({ pageParam, signal }) => {
        const cursor = pageParam === firstCursor ? {} : { cursor: pageParam }
        return call('trackRecordAlerts', { query: { origin, ...selection, ...cursor }, signal })
      },
      initialPageParam: firstCursor,
      getNextPageParam: ({ next }) => next ?? undefined,
    }),
}

/**
 * Loads the record before the app replaces the prerendered page, which already contains the
 * figures.
 */
export async function prefetchRecord(queryClient: QueryClient): Promise<void> {
  await queryClient.prefetchQuery(queries.config)
  const config = queryClient.getQueryData(queries.config.queryKey)
  if (config) await queryClient.prefetchQuery(recordQueries.record(config.demo ? 'demo' : 'feed'))
}
