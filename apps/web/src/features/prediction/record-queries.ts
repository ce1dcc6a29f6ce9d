import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'

/** Demo alerts have a record of their own. */
export type RecordOrigin = 'feed' | 'demo'

/** The alerts behind a figure: those in all of a status, a set and a row of a table. */
export type RecordSelection = { status?: string; set?: string; by?: string; key?: string }

const firstPage = ''

export const recordQueries = {
  /** Polled slowly: it changes with an anchor at most. */
  record: (origin: RecordOrigin) =>
    queryOptions({
      queryKey: ['/api/track-record', origin],
      queryFn: ({ signal }) => call('trackRecord', { query: { origin }, signal }),
      staleTime: MINUTE_MS,
      refetchOnMount: true,
    }),
  alerts: (origin: RecordOrigin, selection: RecordSelection) =>
    infiniteQueryOptions({
      queryKey: ['/api/track-record/alerts', origin, selection],
      queryFn: ({ pageParam, signal }) => {
        const cursor = pageParam === firstPage ? {} : { cursor: pageParam }
        return call('trackRecordAlerts', { query: { origin, ...selection, ...cursor }, signal })
      },
      initialPageParam: firstPage,
      getNextPageParam: ({ next }) => next ?? undefined,
    }),
}

/** The prerendered page has figures, so it stays until the app has them too. */
export async function prefetchRecord(queryClient: QueryClient): Promise<void> {
  await queryClient.prefetchQuery(queries.config)
  const config = queryClient.getQueryData(queries.config.queryKey)
  if (config) await queryClient.prefetchQuery(recordQueries.record(config.demo ? 'demo' : 'feed'))
}
