import { QueryClient, queryOptions } from '@tanstack/react-query'
import type { ResponseOf } from '@tocsin/protocol'
import { call } from './api.ts'
import { endPendingLogout } from './pending-logout.ts'

const MINUTE_MS = 60_000

/** Reads are never stale and never repeated by themselves, unless a query below says otherwise: the socket keeps them fresh. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        refetchInterval: false,
        retry: false,
      },
      mutations: { retry: false },
    },
  })
}

/** What more than one feature reads. Keys are the path's segments. */
export const queries = {
  currentUser: queryOptions({
    queryKey: ['/api/auth/user'],
    // A session that was to be ended must not be used again: its logout is repeated first.
    queryFn: async ({ signal }) => {
      await endPendingLogout()
      return call('currentUser', { signal })
    },
  }),
  account: queryOptions({
    queryKey: ['/api/account'],
    queryFn: ({ signal }) => call('findAccount', { signal }),
  }),
  sessions: queryOptions({
    queryKey: ['/api/auth/sessions'],
    queryFn: ({ signal }) => call('listSessions', { signal }),
  }),
  config: queryOptions({
    queryKey: ['/api/config'],
    queryFn: ({ signal }) => call('publicConfig', { signal }),
  }),
  chain: queryOptions({
    queryKey: ['/api/config/chain'],
    queryFn: ({ signal }) => call('chainConfig', { signal }),
    staleTime: 5 * MINUTE_MS,
  }),
  activeSubscription: (userId: string) =>
    queryOptions({
      queryKey: ['/api/subscriptions/active', userId],
      // Any answer that is not a subscription means none.
      queryFn: async ({ signal }): Promise<ResponseOf<'activeSubscription'>> =>
        call('activeSubscription', { params: { userId }, signal }),
      staleTime: 30_000,
      refetchInterval: MINUTE_MS,
      retry: 1,
    }),
  /** The newest purchases: the one that is under way, and those whose periods are queued. */
  orders: queryOptions({
    queryKey: ['/api/orders'],
    queryFn: ({ signal }) => call('listOrders', { query: { limit: 10 }, signal }),
  }),
  order: (id: string) =>
    queryOptions({
      queryKey: ['/api/orders', id],
      queryFn: ({ signal }) => call('findOrder', { params: { id }, signal }),
    }),
  preferences: queryOptions({
    queryKey: ['/api/settings/preferences'],
    queryFn: ({ signal }) => call('findPreferences', { signal }),
  }),
  recentAlerts: queryOptions({
    queryKey: ['/api/alerts/recent'],
    queryFn: ({ signal }) => call('recentAlerts', { query: { limit: 10 }, signal }),
  }),
  userAlerts: (userId: string) =>
    queryOptions({
      queryKey: ['/api/alerts/user', userId],
      queryFn: ({ signal }) => call('userAlerts', { params: { userId }, signal }),
    }),
  /** Besides when somebody comes back to the page, once a minute: what was read on another device, and what time has made readable. */
  unread: queryOptions({
    queryKey: ['/api/alerts/unread'],
    queryFn: async ({ signal }) => ({ ...(await call('unreadAlerts', { signal })), readAtMs: performance.now() }),
    refetchInterval: MINUTE_MS,
  }),
  activity: queryOptions({
    queryKey: ['/api/activity'],
    queryFn: ({ signal }) => call('listActivity', { signal }),
  }),
  status: queryOptions({
    queryKey: ['/api/status'],
    queryFn: ({ signal }) => call('systemStatus', { signal }),
    refetchInterval: 30_000,
  }),
  logHead: queryOptions({
    queryKey: ['/api/log/head'],
    queryFn: ({ signal }) => call('logHead', { signal }),
    refetchInterval: 30_000,
  }),
  logKeys: queryOptions({
    queryKey: ['/api/log/keys'],
    queryFn: ({ signal }) => call('logKeys', { signal }),
  }),
}

/** What the frame of every signed-in page reads, a few at a time in the order in which it shows. */
export function frameReads(queryClient: QueryClient, userId: string): (() => Promise<void>)[][] {
  return [
    [
      () => queryClient.prefetchQuery(queries.config),
      () => queryClient.prefetchQuery(queries.activeSubscription(userId)),
      () => queryClient.prefetchQuery(queries.recentAlerts),
    ],
    [
      () => queryClient.prefetchQuery(queries.unread),
      () => queryClient.prefetchQuery(queries.preferences),
      () => queryClient.prefetchQuery(queries.logHead),
    ],
    [
      () => queryClient.prefetchQuery(queries.orders),
      () => queryClient.prefetchQuery(queries.chain),
      () => queryClient.prefetchQuery(queries.status),
    ],
  ]
}

/** Payments are made on another chain from now on: what names it is read again. */
export function readChainAgain(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({ queryKey: queries.chain.queryKey })
  void queryClient.invalidateQueries({ queryKey: queries.config.queryKey, exact: true })
}
