import { type InfiniteData, infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { AlertSearch, AlertSelection } from '@tocsin/protocol'
import { call } from '../../api.ts'

const pageSize = 100
/** A list that somebody has paged far into is not read again by itself: that would be a request for each page. */
const readAgainPages = 5
const facetsFreshMs = 60_000
/** A fresh alert reaches everybody in the same moment: what is asked because of it is spread over some seconds. */
const freshMs = 10_000
const crowdMs = 3_000
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** First segment of the key of the public counts of 24 hours. */
export const pulseKey = '/api/alerts/pulse'
/** First segment of the keys of lists. */
export const listKey = '/api/alerts/search'
/** The cursor of a first page. */
const start = ''

/** `readAtMs`: when it came in, by this page's own clock; `of`: what it is of, in the shape of a key. */
export type AlertPage = AlertSearch & { readAtMs: number; of: string }
export type AlertPages = InfiniteData<AlertPage, string>

/** How often what is read has changed on the server, as far as this page knows. */
let readChanges = 0

/** Something was marked, or unmarked: lists that are on their way may have been answered before that, and are asked for once more. */
export function noteReadChange(): void {
  readChanges += 1
}

export const isShort = (data: AlertPages | undefined) => (data?.pages.length ?? 0) <= readAgainPages

/** As an address has it. */
export function queryOf(selection: AlertSelection): Record<string, string> {
  return Object.fromEntries(
    Object.entries(selection).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

async function searchAlerts(query: Record<string, string | number>, signal: AbortSignal): Promise<AlertSearch> {
  const before = readChanges
  const answer = await call('searchAlerts', { query, signal })
  return before === readChanges ? answer : searchAlerts(query, signal)
}

export const alertQueries = {
  pages: (selection: AlertSelection) =>
    infiniteQueryOptions({
      queryKey: [listKey, selection],
      queryFn: async ({ pageParam, signal }): Promise<AlertPage> => {
        const query = { ...queryOf(selection), ...(pageParam === start ? {} : { cursor: pageParam }), limit: pageSize }
        return {
          ...(await searchAlerts(query, signal)),
          readAtMs: performance.now(),
          of: JSON.stringify(selection),
        }
      },
      initialPageParam: start,
      getNextPageParam: ({ next }) => next ?? undefined,
      refetchOnMount: ({ state }) => (isShort(state.data) ? 'always' : false),
      placeholderData: keepPreviousData,
      // Comparing each of ten thousand alerts with each of the page before would hold up scrolling.
      structuralSharing: false,
    }),
  one: (id: string) =>
    queryOptions({
      queryKey: ['/api/alerts/search/one', id],
      queryFn: ({ signal }) => searchAlerts({ q: id, limit: 1 }, signal),
      refetchOnMount: 'always',
    }),
  /** The feed's message that an alert came from. */
  signal: (id: string, createdAt: string) =>
    queryOptions({
      queryKey: ['/api/alerts/signal', id],
      queryFn: async ({ signal }) => {
        if (Date.now() - Date.parse(createdAt) < freshMs) await pause(Math.random() * crowdMs)
        return call('alertSignal', { params: { id }, signal })
      },
    }),
  facets: queryOptions({
    queryKey: ['/api/alerts/facets'],
    queryFn: ({ signal }) => call('alertFacets', { signal }),
    staleTime: facetsFreshMs,
  }),
}
