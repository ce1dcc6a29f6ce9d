import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryState,
  queryOptions,
} from '@tanstack/react-query'
import {
  type AdminUser,
  type AuditAction,
  type LetterState,
  type PaymentState,
  type PlanId,
  type Priority,
  type ResponseOf,
  type SecurityCategory,
  type UserFilter,
  type UserSort,
  userCursor,
} from '@tocsin/protocol'
import { call } from '../../api/api.ts'
import type { UnusualFlag } from './order-words.ts'

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
export interface LetterFilter {
  state: LetterState | undefined
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

/** First segments of the query keys of lists. */
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

/** Cursor of the first page. */
const start = ''
/** Returns whether a list has few enough pages to be polled. */
export const isShort = (data: InfiniteData<unknown> | undefined) => (data?.pages.length ?? 0) <= maxPolledPages

/** Returns whether a list is loading its next page. A refetch would cancel that request. */
export function isGettingMore({ fetchStatus, fetchMeta }: QueryState): boolean {
  return fetchStatus !== 'idle' && fetchMeta?.fetchMore !== undefined
}

export const adminQueries = {
  stats: queryOptions({
    queryKey: [listKeys.stats],
    queryFn: async ({ client, signal }) => {
      const before = client.getQueryData<ResponseOf<'adminStats'>>([listKeys.stats])
      const stats = await call('adminStats', { signal })
      const hasGrown = before !== undefined && before.totalAlerts !== stats.totalAlerts
      if (hasGrown) {
        void client.invalidateQueries({
          queryKey: [listKeys.alerts],
          predicate: ({ state }) => !isGettingMore(state),
        })
      }
      return stats
    },
    refetchInterval: pollMs,
    refetchOnMount: 'always',
  }),
  system: queryOptions({
    queryKey: [listKeys.system],
    queryFn: ({ signal }) => call('adminSystem', { signal }),
    refetchInterval: pollMs,
    refetchOnMount: 'always',
  }),
  instances: queryOptions({
    queryKey: ['/api/admin/instances'],
    queryFn: ({ signal }) => call('adminInstances', { signal }),
    refetchInterval: pollMs,
    refetchOnMount: 'always',
  }),
  channels: queryOptions({
    queryKey: ['/api/admin/channels'],
    queryFn: ({ signal }) => call('adminChannels', { signal }),
    refetchInterval: pollMs,
    refetchOnMount: 'always',
  }),
  revenue: queryOptions({
    queryKey: ['/api/admin/business/revenue'],
    queryFn: ({ signal }) => call('businessRevenue', { signal }),
    refetchInterval: businessPollMs,
    refetchOnMount: 'always',
  }),
  customers: queryOptions({
    queryKey: ['/api/admin/business/customers'],
    queryFn: ({ signal }) => call('businessCustomers', { signal }),
    refetchInterval: businessPollMs,
    refetchOnMount: 'always',
  }),
  /**
   * Who received an alert. Without an index, the server selects the newest critical alert, or the
   * newest alert if none is critical.
   */
  reach: (index?: number) =>
    queryOptions({
      queryKey: ['/api/admin/business/reach', index],
      queryFn: ({ signal }) => call('businessReach', { query: filled({ index }), signal }),
      refetchInterval: pollMs,
      refetchOnMount: 'always',
    }),
  health: queryOptions({
    queryKey: ['/api/admin/business/health'],
    queryFn: ({ signal }) => call('businessHealth', { signal }),
    refetchInterval: businessPollMs,
    refetchOnMount: 'always',
  }),
  treasury: queryOptions({
    queryKey: ['/api/admin/business/treasury'],
    queryFn: ({ signal }) => call('businessTreasury', { signal }),
    refetchInterval: businessPollMs,
    refetchOnMount: 'always',
  }),
  recipients: queryOptions({
    queryKey: ['/api/admin/recipients'],
    queryFn: ({ signal }) => call('countRecipients', { signal }),
    refetchInterval: pollMs,
    refetchOnMount: 'always',
  }),
  feed: queryOptions({
    queryKey: ['/api/admin/websocket/config'],
    queryFn: ({ signal }) => call('findFeedConfig', { signal }),
    refetchInterval: pollMs,
    refetchOnMount: 'always',
  }),
  engine: queryOptions({
    queryKey: ['/api/admin/engine'],
    queryFn: ({ signal }) => call('findEngineStatus', { signal }),
    refetchInterval: enginePollMs,
    refetchOnMount: 'always',
  }),
  chain: queryOptions({
    queryKey: ['/api/admin/settings/chain_id'],
    queryFn: ({ signal }) => call('findChainSetting', { signal }),
    refetchOnMount: 'always',
  }),
  protected: queryOptions({
    queryKey: ['/api/admin/protected-changes'],
    queryFn: ({ signal }) => call('findProtectedState', { signal }),
    refetchInterval: pollMs,
    refetchOnMount: 'always',
  }),
  reconciliation: queryOptions({
    queryKey: ['/api/admin/payments/reconciliation'],
    queryFn: ({ signal }) => call('findReconciliation', { signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? reconcilePollMs : false),
    refetchOnMount: 'always',
  }),
  userCounts: (selection: UserSelection) =>
    queryOptions({
      queryKey: [listKeys.counts, selection],
      queryFn: ({ signal }) => call('countUsers', { query: filled(selection), signal }),
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
        call('listUsers', { query: filled({ ...selection, cursor: pageParam, limit: pageSize }), signal }),
      initialPageParam: start,
      getNextPageParam: (last: AdminUser[], pages: AdminUser[][]) => {
        if (last.length < pageSize) return undefined
        const user = last.at(-1)
        return selection.sort === 'newest' ? user && userCursor(user) : String(pages.length * pageSize)
      },
      refetchInterval: ({ state }) => (isShort(state.data) ? pollMs : false),
      refetchOnMount: ({ state }) => (isShort(state.data) ? 'always' : false),
      placeholderData: keepPreviousData,
    }),
  timeline: (id: string) =>
    infiniteQueryOptions({
      queryKey: [listKeys.timeline, id],
      queryFn: ({ pageParam, signal }) =>
        call('listUserTimeline', { params: { id }, query: filled({ cursor: pageParam, limit: pageSize }), signal }),
      initialPageParam: start,
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
      refetchOnMount: 'always',
    }),
  alerts: (selection: AlertSelection) =>
    infiniteQueryOptions({
      queryKey: [listKeys.alerts, selection],
      queryFn: ({ pageParam, signal }) =>
        call('pageAlerts', { query: filled({ ...selection, cursor: pageParam, limit: pageSize }), signal }),
      initialPageParam: start,
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
      // Poll while an alert is not anchored, because its proof changes until then.
      refetchInterval: ({ state }) => {
        const waits = state.data?.pages.some(({ items }) => items.some(({ avalancheTx }) => avalancheTx === null))
        return waits && isShort(state.data) ? anchorPollMs : false
      },
      refetchOnMount: ({ state }) => (isShort(state.data) ? 'always' : false),
      placeholderData: keepPreviousData,
    }),
  payments: (selection: PaymentSelection) =>
    infiniteQueryOptions({
      queryKey: [listKeys.payments, selection],
      queryFn: ({ pageParam, signal }) =>
        call('listPayments', { query: filled({ ...selection, cursor: pageParam, limit: pageSize }), signal }),
      initialPageParam: start,
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
      refetchInterval: ({ state: { data } }) => (isShort(data) ? pollMs : false),
      refetchOnMount: ({ state: { data } }) => (isShort(data) ? 'always' : false),
      placeholderData: keepPreviousData,
    }),
  coupons: infiniteQueryOptions({
    queryKey: ['/api/admin/coupons'],
    queryFn: ({ pageParam, signal }) =>
      call('listCoupons', { query: filled({ cursor: pageParam, limit: pageSize }), signal }),
    initialPageParam: start,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchOnMount: 'always',
  }),
  scheduled: infiniteQueryOptions({
    queryKey: ['/api/admin/scheduled-alerts'],
    queryFn: ({ pageParam, signal }) =>
      call('listScheduledAlerts', { query: filled({ cursor: pageParam, limit: 20 }), signal }),
    initialPageParam: start,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some(({ state }) => state === 'waiting')) ? anchorPollMs : false,
    refetchOnMount: 'always',
  }),
  announcements: infiniteQueryOptions({
    queryKey: ['/api/admin/announcements'],
    queryFn: ({ pageParam, signal }) =>
      call('listAnnouncements', { query: filled({ cursor: pageParam, limit: pageSize }), signal }),
    initialPageParam: start,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchOnMount: 'always',
  }),
  messages: infiniteQueryOptions({
    queryKey: ['/api/admin/messages'],
    queryFn: ({ pageParam, signal }) =>
      call('listMessages', { query: filled({ cursor: pageParam, limit: pageSize }), signal }),
    initialPageParam: start,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some(({ state }) => state === 'running')) ? sendingPollMs : false,
    refetchOnMount: 'always',
  }),
  letters: (selection: LetterFilter) =>
    infiniteQueryOptions({
      queryKey: [listKeys.letters, selection],
      queryFn: ({ pageParam, signal }) =>
        call('listLetters', { query: filled({ ...selection, cursor: pageParam, limit: pageSize }), signal }),
      initialPageParam: start,
      getNextPageParam: ({ nextCursor }) => (nextCursor === null ? undefined : String(nextCursor)),
      refetchInterval: ({ state: { data } }) => (isShort(data) ? pollMs : false),
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
        call('listUnmatchedPayments', { query: filled({ state, cursor: pageParam, limit: pageSize }), signal }),
      initialPageParam: start,
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
      refetchInterval: ({ state: { data } }) => (isShort(data) ? pollMs : false),
      refetchOnMount: 'always',
    }),
  orders: (selection: OrderSelection) =>
    infiniteQueryOptions({
      queryKey: [listKeys.orders, selection],
      queryFn: ({ pageParam, signal }) =>
        call('listAdminOrders', { query: filled({ ...selection, cursor: pageParam, limit: pageSize }), signal }),
      initialPageParam: start,
      getNextPageParam: ({ next }) => next ?? undefined,
      refetchInterval: ({ state }) => (isShort(state.data) ? pollMs : false),
      refetchOnMount: 'always',
    }),
  refusedSignals: infiniteQueryOptions({
    queryKey: ['/api/admin/feed/refused'],
    queryFn: ({ pageParam, signal }) =>
      call('listRefusedSignals', { query: filled({ cursor: pageParam, limit: pageSize }), signal }),
    initialPageParam: start,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: ({ state }) => (isShort(state.data) ? pollMs : false),
    refetchOnMount: 'always',
  }),
  audit: (selection: AuditSelection) =>
    infiniteQueryOptions({
      queryKey: [listKeys.audit, selection],
      queryFn: ({ pageParam, signal }) =>
        call('listAudit', { query: filled({ ...selection, cursor: pageParam, limit: pageSize }), signal }),
      initialPageParam: start,
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
      refetchOnMount: 'always',
      placeholderData: keepPreviousData,
    }),
  security: (selection: SecuritySelection) =>
    infiniteQueryOptions({
      queryKey: [listKeys.security, selection],
      queryFn: ({ pageParam, signal }) =>
        call('listSecurityEvents', { query: filled({ ...selection, cursor: pageParam, limit: pageSize }), signal }),
      initialPageParam: start,
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
      refetchInterval: ({ state }) => (isShort(state.data) ? pollMs : false),
      refetchOnMount: 'always',
      placeholderData: keepPreviousData,
    }),
}

/** Returns the query parameters without empty values. */
export function filled(query: object): Record<string, string | number> {
  const entries: [string, string | number][] = []
  for (const [key, value] of Object.entries(query)) {
    if (typeof value === 'number' || (typeof value === 'string' && value !== '')) entries.push([key, value])
  }
  return Object.fromEntries(entries)
}
