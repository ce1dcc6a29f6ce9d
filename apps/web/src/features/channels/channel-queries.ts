import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { ChannelDelivery } from '@tocsin/protocol'
import { call } from '../../api/api.ts'

/**
 * Interval for polling destinations and delivery ledgers, because retries and new alerts change
 * them.
 */
const POLL_MS = 5_000
const PAGE_SIZE = 50
/** Longer ledgers are not polled, because each loaded page costs one request per poll. */
const MAX_POLLED_PAGES = 4

export type LedgerFilter = 'all' | 'open' | 'skipped'

export const channelKey = ['/api/channels'] as const

export const destinationsQuery = queryOptions({
  queryKey: channelKey,
  queryFn: ({ signal }) => call('listDestinations', { signal }),
  staleTime: 0,
  refetchInterval: POLL_MS,
})

export const privateFeedQuery = queryOptions({
  queryKey: ['/api/feeds/private'],
  queryFn: ({ signal }) => call('findPrivateFeed', { signal }),
  staleTime: 0,
})

/** The delivery ledger of a destination, newest first. */
export const ledgerQuery = (id: string, show: LedgerFilter) =>
  infiniteQueryOptions({
    queryKey: [...channelKey, id, show],
    queryFn: ({ pageParam, signal }) => {
      const query = { show, ...(pageParam === null ? {} : { before: pageParam }) }
      return call('listChannelDeliveries', { params: { id }, query, signal })
    },
    initialPageParam: null as number | null,
    getNextPageParam: (lastPage: ChannelDelivery[]) =>
      lastPage.length === PAGE_SIZE ? lastPage.at(-1)?.id : undefined,
    staleTime: 0,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= MAX_POLLED_PAGES ? POLL_MS : false),
  })
