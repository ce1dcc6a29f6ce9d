import type { InfiniteData, QueryClient, QueryKey, QueryState } from '@tanstack/react-query'
import { type AdminArea, type AdminUser, adminAreas } from '@tocsin/protocol'
import { queries } from '../../queries.ts'
import { adminQueries, isShort, listKeys } from './admin-queries.ts'

/** After whatever an admin changed about alerts. */
export function readAlertsAgain(client: QueryClient): void {
  for (const queryKey of [
    [listKeys.alerts],
    [listKeys.stats],
    [listKeys.audit],
    queries.status.queryKey,
    queries.logHead.queryKey,
  ]) {
    void client.invalidateQueries({ queryKey })
  }
}

/**
 * After whatever an admin changed about one account: its row is read and put in place in every list, however long that is. What depends on how
 * many there are is read again.
 */
export async function readUserAgain(client: QueryClient, id: string): Promise<void> {
  for (const queryKey of [[listKeys.counts], [listKeys.stats], [listKeys.unmatched], [listKeys.audit]]) {
    void client.invalidateQueries({ queryKey })
  }
  const { user } = await client.fetchQuery({ ...adminQueries.user(id), staleTime: 0 })
  client.setQueriesData<{ pages: AdminUser[][]; pageParams: unknown[] }>({ queryKey: [listKeys.users] }, (list) => {
    if (!list) return list
    return { ...list, pages: list.pages.map((page) => page.map((row) => (row.id === id ? user : row))) }
  })
}

/** After the signal feed or the payment chain was changed. */
export function readSettingsAgain(client: QueryClient): void {
  for (const { queryKey } of [
    adminQueries.feed,
    adminQueries.chain,
    adminQueries.system,
    queries.chain,
    queries.config,
    queries.status,
  ]) {
    void client.invalidateQueries({ queryKey })
  }
  void client.invalidateQueries({ queryKey: [listKeys.audit] })
}

export function readPaymentsAgain(client: QueryClient): void {
  for (const key of [
    listKeys.unmatched,
    listKeys.orders,
    listKeys.users,
    listKeys.counts,
    listKeys.stats,
    listKeys.system,
    listKeys.audit,
  ])
    void client.invalidateQueries({ queryKey: [key] })
}

const keysOf: Record<AdminArea, readonly QueryKey[]> = {
  alerts: [[listKeys.alerts], [listKeys.stats], queries.status.queryKey, queries.logHead.queryKey],
  users: [[listKeys.users], [listKeys.counts], [listKeys.user], [listKeys.stats], adminQueries.recipients.queryKey],
  payments: [
    [listKeys.unmatched],
    [listKeys.orders],
    adminQueries.reconciliation.queryKey,
    [listKeys.system],
    [listKeys.user],
  ],
  feed: [[listKeys.system], adminQueries.feed.queryKey, adminQueries.refusedSignals.queryKey, queries.status.queryKey],
  audit: [[listKeys.audit]],
  chain: [adminQueries.chain.queryKey, queries.chain.queryKey, queries.config.queryKey, [listKeys.system]],
  instances: [[listKeys.system], adminQueries.recipients.queryKey, queries.status.queryKey],
}

/**
 * What is on the screen of these areas. A list that somebody has paged far into stays as it is: it would be a request for each page. So does one
 * whose next page is on its way, which reading it again would call off.
 */
export function readAreasAgain(client: QueryClient, areas: readonly AdminArea[]): void {
  const keys = new Map(areas.flatMap((area) => keysOf[area]).map((key) => [JSON.stringify(key), key]))
  for (const queryKey of keys.values()) {
    void client.invalidateQueries({
      queryKey,
      predicate: ({ state }) => !isLongList(state.data) && !isGettingMore(state),
    })
  }
}

export function readEverythingAgain(client: QueryClient): void {
  readAreasAgain(client, adminAreas)
}

function isLongList(data: unknown): boolean {
  // The library's own shape of a list in pages.
  const isPaged = typeof data === 'object' && data !== null && 'pages' in data && Array.isArray(data.pages)
  return isPaged && !isShort(data as InfiniteData<unknown>)
}

function isGettingMore({ fetchStatus, fetchMeta }: QueryState): boolean {
  return fetchStatus !== 'idle' && fetchMeta?.fetchMore !== undefined
}
