import { type InfiniteData, infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { AlertSearch, AlertSelection } from '@tocsin/protocol'
import { call, type Query } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { isLocked } from './alert-texts.ts'
import { readSignalMessage } from './read-signals.ts'
import { computeRecheckDelayMs } from './recheck-delay.ts'

const pageSize = 100
/**
 * Maximum number of pages of a list that is refetched automatically. Each page costs one request.
 */
const maxRefetchPages = 5
const facetsFreshMs = 60_000
/**
 * All clients receive a new alert at the same moment. To spread the load, requests for an alert
 * that is younger than `freshAlertMs` wait for a random time of up to `jitterMs`.
 */
const freshAlertMs = 10_000
const jitterMs = 3_000
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Age in ms up to which a list is not refetched on mount, because the page prefetches it while its
 * scripts load.
 */
const prefetchMaxAgeMs = 5_000

/** First segment of the query keys of the public 24-hour counts. */
export const pulseKey = '/api/alerts/pulse'
/** First segment of the query keys of alert lists. */
export const listKey = '/api/alerts/search'
/** First segment of the query keys of alerts that a URL opens. */
export const oneKey = '/api/alerts/search/one'
/** Cursor of the first page. */
const firstCursor = ''

/**
 * A page of a list. `readAtMs` is the value of `performance.now()` when the response arrived.
 * `listKey` is the selection as JSON.
 */
export type AlertPage = AlertSearch & { readAtMs: number; listKey: string }
export type AlertPages = InfiniteData<AlertPage, string>

/** Number of calls of `invalidateReads`. If it changes during a search, the search is repeated. */
let readStateVersion = 0

/**
 * Repeats the searches that are in flight, because their results may be older than a change of the
 * read state. Call this after alerts were marked as read or unread.
 */
export function invalidateReads(): void {
  readStateVersion += 1
}

export const hasFewPages = (data: AlertPages | undefined) => (data?.pages.length ?? 0) <= maxRefetchPages

/** Returns the selection as query parameters. */
export function toQuery(selection: AlertSelection): Query {
  return Object.fromEntries(
    Object.entries(selection).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined),
  )
}

/** A loaded list with its filters. */
export type LoadedList = { selection: AlertSelection; pages: AlertPages }

/** Returns the alert lists in the cache, the most recently updated first. */
export function findLoadedLists(client: QueryClient): LoadedList[] {
  return client
    .getQueryCache()
    .findAll({ queryKey: [listKey], predicate: ({ state }) => state.data !== undefined })
    .sort((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt)
    .map(({ queryKey, state }) => ({
      // Safe casts: `pages` is the only query under this key.
      selection: queryKey[1] as AlertSelection,
      pages: state.data as AlertPages,
    }))
}

async function searchAlerts(query: Query, signal: AbortSignal): Promise<AlertSearch> {
  const versionBefore = readStateVersion
  const response = await call('searchAlerts', { query, signal })
  return versionBefore === readStateVersion ? response : searchAlerts(query, signal)
}

export const alertQueries = {
  pages: (selection: AlertSelection) =>
    infiniteQueryOptions({
      queryKey: [listKey, selection],
      queryFn: async ({ pageParam, signal }): Promise<AlertPage> => {
        const query = {
          ...toQuery(selection),
          ...(pageParam === firstCursor ? {} : { cursor: pageParam }),
          limit: pageSize,
        }
        return {
          ...(await searchAlerts(query, signal)),
          readAtMs: performance.now(),
          listKey: JSON.stringify(selection),
        }
      },
      initialPageParam: firstCursor,
      getNextPageParam: ({ next }) => next ?? undefined,
      refetchOnMount: ({ state }) =>
        hasFewPages(state.data) && Date.now() - state.dataUpdatedAt > prefetchMaxAgeMs ? 'always' : false,
      // A deep comparison of ten thousand alerts with the previous data would block scrolling.
      structuralSharing: false,
    }),
  /** Compare the id of the result: the search also finds the text in other fields. */
  one: (id: string) =>
    queryOptions({
      queryKey: [oneKey, id],
      queryFn: ({ signal }) => searchAlerts({ q: id, limit: 1 }, signal),
      refetchOnMount: 'always',
      refetchInterval: ({ state }) => {
        const alert = state.data?.items[0]?.alert
        return alert !== undefined && !isLocked(alert) && computeRecheckDelayMs(alert, Date.now())
      },
    }),
  /** The newest alerts of an asset. */
  related: (asset: string) =>
    queryOptions({
      queryKey: ['/api/alerts/search/related', asset],
      queryFn: ({ signal }) => searchAlerts({ asset, limit: 4 }, signal),
      staleTime: facetsFreshMs,
    }),
  /** The feed message that the alert was made from. */
  signal: (id: string, createdAt: string) =>
    queryOptions({
      queryKey: ['/api/alerts/signal', id],
      queryFn: async () => {
        if (Date.now() - Date.parse(createdAt) < freshAlertMs) await pause(Math.random() * jitterMs)
        return readSignalMessage(id)
      },
    }),
  /** The saved views of the account, sorted by name. */
  views: queryOptions({
    queryKey: ['/api/alert-views'],
    queryFn: ({ signal }) => call('listAlertViews', { signal }),
  }),
  facets: queryOptions({
    queryKey: ['/api/alerts/facets'],
    queryFn: ({ signal }) => call('alertFacets', { signal }),
    staleTime: facetsFreshMs,
  }),
}

/**
 * Prefetches the data of the first rows of the dashboard: the alerts, and the subscription, which
 * decides whether the rows are only a sample.
 */
export async function prefetchNewest(queryClient: QueryClient, userId: string): Promise<void> {
  await Promise.all([
    queryClient.prefetchInfiniteQuery(alertQueries.pages({})),
    queryClient.prefetchQuery(queries.activeSubscription(userId)),
  ])
}
