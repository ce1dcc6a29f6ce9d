import type { InfiniteData, QueryClient, QueryKey, QueryState } from '@tanstack/react-query'
import { type AdminArea, type AdminUser, adminAreas } from '@tocsin/protocol'
import { queries } from '../../queries.ts'
import { adminQueries, isShort, listKeys } from './admin-queries.ts'

/** After an admin has changed something. What one change touches shows in several parts of the area. */
export function refreshAfterChange(client: QueryClient): void {
  refreshAreas(client, adminAreas)
}

/** After a new alert, which has to show in the list however long that is. */
export function refreshAfterAlertChange(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: [listKeys.alerts] })
  refreshAfterChange(client)
}

/** After a change of one account: its row is read and replaced in every list, however long that is. */
export async function refreshAfterUserChange(client: QueryClient, id: string): Promise<void> {
  refreshAfterChange(client)
  const { user } = await client.fetchQuery({ ...adminQueries.user(id), staleTime: 0 })
  client.setQueriesData<{ pages: AdminUser[][]; pageParams: unknown[] }>({ queryKey: [listKeys.users] }, (list) => {
    if (!list) return list
    return { ...list, pages: list.pages.map((page) => page.map((row) => (row.id === id ? user : row))) }
  })
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
 * Reads these areas again. A list with many loaded pages stays as it is, because it would cost a request for each page.
 * So does one whose next page is being fetched, because reading it again would cancel that.
 */
export function refreshAreas(client: QueryClient, areas: readonly AdminArea[]): void {
  const keys = new Map(areas.flatMap((area) => keysOf[area]).map((key) => [JSON.stringify(key), key]))
  for (const queryKey of keys.values()) {
    void client.invalidateQueries({
      queryKey,
      predicate: ({ state }) => !isLongList(state.data) && !isGettingMore(state),
    })
  }
}

function isLongList(data: unknown): boolean {
  // The library's own shape of a list in pages.
  const isPaged = typeof data === 'object' && data !== null && 'pages' in data && Array.isArray(data.pages)
  return isPaged && !isShort(data as InfiniteData<unknown>)
}

function isGettingMore({ fetchStatus, fetchMeta }: QueryState): boolean {
  return fetchStatus !== 'idle' && fetchMeta?.fetchMore !== undefined
}
