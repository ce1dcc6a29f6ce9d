import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type Query,
  queryOptions,
} from '@tanstack/react-query'
import {
  type AdminUser,
  type AuditAction,
  type EndpointName,
  type PaymentState,
  type PlanId,
  type Priority,
  type ResponseOf,
  type SecurityCategory,
  type SupportMessageState,
  type UserFilter,
  type UserSort,
  userCursor,
} from '@tocsin/protocol'
import { call } from '../../api/api.ts'
import { plainQuery } from '../../api/queries.ts'
import type { UnusualFlag } from './order-texts.ts'

const pollMs = 30_000
const anchorPollMs = 10_000
const businessPollMs = 60_000
/** Interval at which the engine sends its status. */
const enginePollMs = 10_000
const reconcilePollMs = 1_000
const sendingPollMs = 2_000
const pageSize = 50
/**
 * Maximum number of loaded pages of a list that is polled. Each page costs one request per poll.
 */
const maxPolledPages = 4

export interface UserSelection {
  search: string
  filter: UserFilter
}
export interface UserListing extends UserSelection {
  sort: UserSort
}
export interface AlertSelection {
  search: string
  priority: Priority | undefined
}
export interface PaymentSelection {
  search: string
  state: PaymentState | undefined
  plan: PlanId | undefined
}
export interface SupportMessageFilter {
  state: SupportMessageState | undefined
  search: string
}
export interface OrderSelection {
  flag: UnusualFlag
  state: 'open' | 'resolved'
}
export interface AuditSelection {
  action: AuditAction | undefined
  actor: string | undefined
}

export interface SecuritySelection {
  category: SecurityCategory | undefined
  search: string
}

/** First elements of query keys, for invalidation. */
export const listKeys = {
  stats: '/api/admin/stats',
  alerts: '/api/admin/alerts',
  users: '/api/admin/users',
  counts: '/api/admin/users/counts',
  user: '/api/admin/users/:id',
  timeline: '/api/admin/users/:id/timeline',
  payments: '/api/admin/payments',
  unmatched: '/api/admin/payments/unmatched',
  orders: '/api/admin/orders',
  letters: '/api/admin/letters',
  audit: '/api/admin/audit',
  security: '/api/admin/security-log',
  system: '/api/admin/system',
}

/** Page parameter of the first page, which has no cursor. */
const firstCursor = ''
/**
 * Returns true if a list has at most `maxPolledPages` loaded pages. Longer lists are not polled.
 */
const hasFewPages = (data: InfiniteData<unknown> | undefined) => (data?.pages.length ?? 0) <= maxPolledPages
type PagedQuery = { state: { data: InfiniteData<unknown> | undefined } }
const pollFewPages = ({ state }: PagedQuery) => (hasFewPages(state.data) ? pollMs : false)
const refetchFewPages = ({ state }: PagedQuery) => (hasFewPages(state.data) ? ('always' as const) : false)

/**
 * Returns whether to refetch a query after the server's data has changed. False for long lists,
 * because each page costs one request, and for lists that are loading their next page, because a
 * refetch would cancel that request.
 */
export function isRefetchable({ state: { data, fetchStatus, fetchMeta } }: Query): boolean {
  // The data of a TanStack Query infinite query has this shape.
  const isPaged = typeof data === 'object' && data !== null && 'pages' in data && Array.isArray(data.pages)
  const isFetchingMore = fetchStatus !== 'idle' && fetchMeta?.fetchMore !== undefined
  return !isFetchingMore && (!isPaged || hasFewPages(data as InfiniteData<unknown>))
}

/** Query of an endpoint without parameters. Polls while a component uses the query. */
const createPolledQuery = <N extends EndpointName>(name: N, key: string, everyMs = pollMs) => ({
  ...plainQuery(name, key),
  refetchInterval: everyMs,
  refetchOnMount: 'always' as const,
})

/** Options of lists whose pages name the cursor of the next page. */
const cursorPaging = {
  initialPageParam: firstCursor,
  getNextPageParam: ({ nextCursor }: { nextCursor: string | null }) => nextCursor ?? undefined,
  refetchOnMount: 'always' as const,
}

export const adminQueries = {
  stats: queryOptions({
    queryKey: [listKeys.stats],
    queryFn: async ({ client, signal }) => {
      const previousStats = client.getQueryData<ResponseOf<'adminStats'>>([listKeys.stats])
      const stats = await call('adminStats', { signal })
      const hasGrown = previousStats !== undefined && previousStats.totalAlerts !== stats.totalAlerts
      if (hasGrown) void client.invalidateQueries({ queryKey: [listKeys.alerts], predicate: isRefetchable })
      return stats
    },
    refetchInterval: pollMs,
    refetchOnMount: 'always',
  }),
  system: createPolledQuery('adminSystem', listKeys.system),
  instances: createPolledQuery('adminInstances', '/api/admin/instances'),
  channels: createPolledQuery('adminChannels', '/api/admin/channels'),
  revenue: createPolledQuery('businessRevenue', '/api/admin/business/revenue', businessPollMs),
  customers: createPolledQuery('businessCustomers', '/api/admin/business/customers', businessPollMs),
  /**
   * Who received an alert. Without an index, the server selects the newest critical alert, or the
   * newest alert if none is critical.
   */
  reach: (index?: number) =>
    queryOptions({
      queryKey: ['/api/admin/business/reach', index],
      queryFn: ({ signal }) => call('businessReach', { query: omitEmptyValues({ index }), signal }),
      refetchInterval: pollMs,
      refetchOnMount: 'always',
    }),
  health: createPolledQuery('businessHealth', '/api/admin/business/health', businessPollMs),
  treasury: createPolledQuery('businessTreasury', '/api/admin/business/treasury', businessPollMs),
  recipients: createPolledQuery('countRecipients', '/api/admin/recipients'),
  feed: createPolledQuery('findFeedConfig', '/api/admin/websocket/config'),
  engine: createPolledQuery('findEngineStatus', '/api/admin/engine', enginePollMs),
  chain: {
    ...plainQuery('findChainSetting', '/api/admin/settings/chain_id'),
    refetchOnMount: 'always' as const,
  },
  protected: createPolledQuery('findProtectedState', '/api/admin/protected-changes'),
  reconciliation: queryOptions({
    queryKey: ['/api/admin/payments/reconciliation'],
    queryFn: ({ signal }) => call('findReconciliation', { signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? reconcilePollMs : false),
    refetchOnMount: 'always',
  }),
  userCounts: (selection: UserSelection) =>
    queryOptions({
      queryKey: [listKeys.counts, selection],
      queryFn: ({ signal }) => call('countUsers', { query: omitEmptyValues(selection), signal }),
      refetchInterval: pollMs,
      refetchOnMount: 'always',
      placeholderData: keepPreviousData,
    }),
  user: (id: string) =>
    queryOptions({
      queryKey: [listKeys.user, id],
      queryFn: ({ signal }) => call('findUser', { params: { id }, signal }),
      refetchOnMount: 'always',
    }),
  users: (selection: UserListing) =>
    infiniteQueryOptions({
      queryKey: [listKeys.users, selection],
      queryFn: ({ pageParam, signal }) =>
        call('listUsers', { query: omitEmptyValues({ ...selection, cursor: pageParam, limit: pageSize }), signal }),
      initialPageParam: firstCursor,
      getNextPageParam: (lastPage: AdminUser[], pages: AdminUser[][]) => {
        if (lastPage.length < pageSize) return undefined
        const user = lastPage.at(-1)
        return selection.sort === 'newest' ? user && userCursor(user) : String(pages.length * pageSize)
      },
      refetchInterval: pollFewPages,
      refetchOnMount: refetchFewPages,
      placeholderData: keepPreviousData,
    }),
  timeline: (id: string) =>
    infiniteQueryOptions({
      queryKey: [listKeys.timeline, id],
      queryFn: ({ pageParam, signal }) =>
        call('listUserTimeline', {
          params: { id },
          query: omitEmptyValues({ cursor: pageParam, limit: pageSize }),
          signal,
        }),
      ...cursorPaging,
    }),
  alerts: (selection: AlertSelection) =>
    infiniteQueryOptions({
      queryKey: [listKeys.alerts, selection],
      queryFn: ({ pageParam, signal }) =>
        call('pageAlerts', { query: omitEmptyValues({ ...selection, cursor: pageParam, limit: pageSize }), signal }),
      ...cursorPaging,
      // Poll while an alert is not anchored, because the anchor changes the state of its proof.
      refetchInterval: ({ state }) => {
        const hasUnanchoredAlert = state.data?.pages.some(({ items }) =>
          items.some(({ avalancheTx }) => avalancheTx === null),
        )
        return hasUnanchoredAlert && hasFewPages(state.data) ? anchorPollMs : false
      },
      refetchOnMount: refetchFewPages,
      placeholderData: keepPreviousData,
    }),
  payments: (selection: PaymentSelection) =>
    infiniteQueryOptions({
      queryKey: [listKeys.payments, selection],
      queryFn: ({ pageParam, signal }) =>
        call('listPayments', { query: omitEmptyValues({ ...selection, cursor: pageParam, limit: pageSize }), signal }),
      ...cursorPaging,
      refetchInterval: pollFewPages,
      refetchOnMount: refetchFewPages,
      placeholderData: keepPreviousData,
    }),
  coupons: infiniteQueryOptions({
    queryKey: ['/api/admin/coupons'],
    queryFn: ({ pageParam, signal }) =>
      call('listCoupons', { query: omitEmptyValues({ cursor: pageParam, limit: pageSize }), signal }),
    ...cursorPaging,
  }),
  scheduled: infiniteQueryOptions({
    queryKey: ['/api/admin/scheduled-alerts'],
    queryFn: ({ pageParam, signal }) =>
      call('listScheduledAlerts', { query: omitEmptyValues({ cursor: pageParam, limit: 20 }), signal }),
    ...cursorPaging,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some(({ state }) => state === 'waiting')) ? anchorPollMs : false,
  }),
  announcements: infiniteQueryOptions({
    queryKey: ['/api/admin/announcements'],
    queryFn: ({ pageParam, signal }) =>
      call('listAnnouncements', { query: omitEmptyValues({ cursor: pageParam, limit: pageSize }), signal }),
    ...cursorPaging,
  }),
  messages: infiniteQueryOptions({
    queryKey: ['/api/admin/messages'],
    queryFn: ({ pageParam, signal }) =>
      call('listMessages', { query: omitEmptyValues({ cursor: pageParam, limit: pageSize }), signal }),
    ...cursorPaging,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some(({ state }) => state === 'running')) ? sendingPollMs : false,
  }),
  letters: (selection: SupportMessageFilter) =>
    infiniteQueryOptions({
      queryKey: [listKeys.letters, selection],
      queryFn: ({ pageParam, signal }) =>
        call('listLetters', { query: omitEmptyValues({ ...selection, cursor: pageParam, limit: pageSize }), signal }),
      initialPageParam: firstCursor,
      getNextPageParam: ({ nextCursor }) => (nextCursor === null ? undefined : String(nextCursor)),
      refetchInterval: pollFewPages,
      refetchOnMount: 'always',
      placeholderData: keepPreviousData,
    }),
  letter: (id: number) =>
    queryOptions({
      queryKey: ['/api/admin/letters/:id', id],
      queryFn: ({ signal }) => call('findLetter', { params: { id: String(id) }, signal }),
      refetchOnMount: 'always',
    }),
  unmatched: (state: 'open' | 'resolved') =>
    infiniteQueryOptions({
      queryKey: [listKeys.unmatched, state],
      queryFn: ({ pageParam, signal }) =>
        call('listUnmatchedPayments', {
          query: omitEmptyValues({ state, cursor: pageParam, limit: pageSize }),
          signal,
        }),
      ...cursorPaging,
      refetchInterval: pollFewPages,
    }),
  orders: (selection: OrderSelection) =>
    infiniteQueryOptions({
      queryKey: [listKeys.orders, selection],
      queryFn: ({ pageParam, signal }) =>
        call('listAdminOrders', {
          query: omitEmptyValues({ ...selection, cursor: pageParam, limit: pageSize }),
          signal,
        }),
      initialPageParam: firstCursor,
      getNextPageParam: ({ next }) => next ?? undefined,
      refetchInterval: pollFewPages,
      refetchOnMount: 'always',
    }),
  refusedSignals: infiniteQueryOptions({
    queryKey: ['/api/admin/feed/refused'],
    queryFn: ({ pageParam, signal }) =>
      call('listRefusedSignals', { query: omitEmptyValues({ cursor: pageParam, limit: pageSize }), signal }),
    ...cursorPaging,
    refetchInterval: pollFewPages,
  }),
  audit: (selection: AuditSelection) =>
    infiniteQueryOptions({
      queryKey: [listKeys.audit, selection],
      queryFn: ({ pageParam, signal }) =>
        call('listAudit', { query: omitEmptyValues({ ...selection, cursor: pageParam, limit: pageSize }), signal }),
      ...cursorPaging,
      placeholderData: keepPreviousData,
    }),
  security: (selection: SecuritySelection) =>
    infiniteQueryOptions({
      queryKey: [listKeys.security, selection],
      queryFn: ({ pageParam, signal }) =>
        call('listSecurityEvents', {
          query: omitEmptyValues({ ...selection, cursor: pageParam, limit: pageSize }),
          signal,
        }),
      ...cursorPaging,
      refetchInterval: pollFewPages,
      placeholderData: keepPreviousData,
    }),
}

/** Returns the query parameters without empty values. */
export function omitEmptyValues(query: object): Record<string, string | number> {
  const entries: [string, string | number][] = []
  for (const [key, value] of Object.entries(query)) {
    if (typeof value === 'number' || (typeof value === 'string' && value !== '')) entries.push([key, value])
  }
  return Object.fromEntries(entries)
}
