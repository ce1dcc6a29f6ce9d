import { QueryClient, queryOptions } from '@tanstack/react-query'
import type { EndpointName, ResponseOf } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { call, callOrNull } from './api.ts'
import { endPendingLogout, withTimeout } from './pending-logout.ts'

/**
 * By default queries never become stale, refetch or retry: the WebSocket keeps them up to date.
 * Queries below override this where needed.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        refetchInterval: false,
        retry: false,
      },
      // Without a network, fail immediately. Otherwise the change would be sent when the network is
      // back and the user may no longer expect it.
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}

/** A query of an endpoint without parameters. */
export const plainQuery = <N extends EndpointName>(name: N, key: string) =>
  queryOptions({ queryKey: [key], queryFn: ({ signal }) => call(name, { signal }) })

/** Queries that several features share. Keys are API paths. */
export const queries = {
  currentUser: queryOptions({
    queryKey: ['/api/auth/user'],
    // Without a network, fail immediately instead of waiting for it.
    networkMode: 'always',
    // A session with a pending logout must not be used, so the logout is retried first.
    queryFn: async ({ signal }) => {
      await endPendingLogout()
      return withTimeout((timedSignal) => call('currentUser', { signal: timedSignal }), signal)
    },
  }),
  account: plainQuery('findAccount', '/api/account'),
  factors: plainQuery('findFactors', '/api/account/factors'),
  sessions: plainQuery('listSessions', '/api/auth/sessions'),
  config: plainQuery('publicConfig', '/api/config'),
  chain: { ...plainQuery('chainConfig', '/api/config/chain'), staleTime: 5 * MINUTE_MS },
  activeSubscription: (userId: string) =>
    queryOptions({
      queryKey: ['/api/subscriptions/active', userId],
      // After the session has ended, the server answers 401, which counts as no subscription.
      queryFn: async ({ signal }): Promise<ResponseOf<'activeSubscription'>> =>
        callOrNull('activeSubscription', { params: { userId }, signal }),
      staleTime: 30_000,
      refetchInterval: MINUTE_MS,
      retry: 1,
    }),
  /**
   * The 10 newest orders. The purchase in progress and the queued periods are read from this list.
   */
  orders: queryOptions({
    queryKey: ['/api/orders'],
    queryFn: ({ signal }) => call('listOrders', { query: { limit: 10 }, signal }),
  }),
  order: (id: string) =>
    queryOptions({
      queryKey: ['/api/orders', id],
      queryFn: ({ signal }) => call('findOrder', { params: { id }, signal }),
    }),
  preferences: plainQuery('findPreferences', '/api/settings/preferences'),
  recentAlerts: queryOptions({
    queryKey: ['/api/alerts/recent'],
    queryFn: ({ signal }) => call('recentAlerts', { query: { limit: 10 }, signal }),
  }),
  userAlerts: (userId: string) =>
    queryOptions({
      queryKey: ['/api/alerts/user', userId],
      queryFn: ({ signal }) => call('userAlerts', { params: { userId }, signal }),
    }),
  /** Polled, because the number changes when alerts are read elsewhere or become readable. */
  unread: queryOptions({
    queryKey: ['/api/alerts/unread'],
    queryFn: async ({ signal }) => ({ ...(await call('unreadAlerts', { signal })), readAtMs: performance.now() }),
    refetchInterval: MINUTE_MS,
  }),
  /** Alerts that the account has acknowledged on any device. The stream announces new ones. */
  acknowledgements: plainQuery('listAcknowledgements', '/api/channels/acknowledgements'),
  activity: plainQuery('listActivity', '/api/activity'),
  status: { ...plainQuery('systemStatus', '/api/status'), refetchInterval: 30_000 },
  logHead: { ...plainQuery('logHead', '/api/log/head'), refetchInterval: 30_000 },
  logKeys: plainQuery('logKeys', '/api/log/keys'),
}

/**
 * Returns functions that prefetch the queries of the signed-in layout, in three batches. The caller
 * yields to the browser after each batch.
 */
export function shellPrefetches(queryClient: QueryClient, userId: string): (() => Promise<void>)[][] {
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

/** Refetches the queries that depend on the payment chain after it was changed. */
export function invalidateChain(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({ queryKey: queries.chain.queryKey })
  void queryClient.invalidateQueries({ queryKey: queries.config.queryKey, exact: true })
}
