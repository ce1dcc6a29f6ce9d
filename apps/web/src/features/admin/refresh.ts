import type { Query, QueryClient, QueryKey } from '@tanstack/react-query'
import { type AdminArea, type AdminUser, adminAreas } from '@tocsin/protocol'
import { queries } from '../../api/queries.ts'
import { adminQueries, isRefetchable, listKeys } from './admin-queries.ts'

/** Refetches the admin area after a change. One change can affect several lists. */
export function refreshAfterChange(client: QueryClient): void {
  refreshAreas(client, adminAreas)
}

/**
 * Refetches what was fetched before the socket was open, because the server announces changes only
 * to open sockets. Long lists are not refetched. Restarts first loads that are still running,
 * because their responses can also be from before the socket was open.
 */
export async function refreshAfterConnect(client: QueryClient): Promise<void> {
  const keys = adminAreas.flatMap((area) => queryKeysByArea[area])
  await Promise.all(keys.map((queryKey) => client.cancelQueries({ queryKey, predicate: isFirstLoad })))
  refreshAfterChange(client)
}

function isFirstLoad({ state }: Query): boolean {
  return state.data === undefined && state.fetchStatus === 'fetching'
}

/** Refetches after a change of a setting that may need the approval of a second admin. */
export function refreshAfterProposal(client: QueryClient): void {
  refreshAfterChange(client)
  void client.invalidateQueries({ queryKey: adminQueries.protected.queryKey })
}

/** Refetches one list and the audit log. */
export function refreshWithAudit(client: QueryClient, queryKey: QueryKey): void {
  void client.invalidateQueries({ queryKey })
  void client.invalidateQueries({ queryKey: [listKeys.audit] })
}

/**
 * Refetches the admin area after an alert was added or changed. Refetches the alert list even if it
 * has too many loaded pages for other refetches (see `isRefetchable`).
 */
export function refreshAfterAlertChange(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: [listKeys.alerts] })
  refreshAfterChange(client)
}

/**
 * Refetches after a change of one account, and replaces its row in every cached list. Does not
 * reject if the refetch fails, because the change has succeeded.
 */
export async function refreshAfterUserChange(client: QueryClient, id: string): Promise<void> {
  refreshAfterChange(client)
  const detail = await client.fetchQuery({ ...adminQueries.user(id), staleTime: 0 }).catch(() => null)
  if (!detail) return
  const { user } = detail
  client.setQueriesData<{ pages: AdminUser[][]; pageParams: unknown[] }>({ queryKey: [listKeys.users] }, (list) => {
    if (!list) return list
    return { ...list, pages: list.pages.map((page) => page.map((row) => (row.id === id ? user : row))) }
  })
}

const queryKeysByArea: Record<AdminArea, readonly QueryKey[]> = {
  alerts: [
    [listKeys.alerts],
    [listKeys.stats],
    adminQueries.reach().queryKey.slice(0, 1),
    queries.status.queryKey,
    queries.logHead.queryKey,
  ],
  users: [
    [listKeys.users],
    [listKeys.counts],
    [listKeys.user],
    [listKeys.timeline],
    [listKeys.stats],
    adminQueries.recipients.queryKey,
  ],
  payments: [
    adminQueries.revenue.queryKey,
    adminQueries.customers.queryKey,
    adminQueries.treasury.queryKey,
    [listKeys.payments],
    [listKeys.unmatched],
    [listKeys.orders],
    adminQueries.reconciliation.queryKey,
    [listKeys.system],
    [listKeys.user],
  ],
  feed: [
    [listKeys.system],
    adminQueries.feed.queryKey,
    adminQueries.refusedSignals.queryKey,
    adminQueries.engine.queryKey,
    queries.status.queryKey,
  ],
  audit: [[listKeys.audit], [listKeys.timeline]],
  chain: [adminQueries.chain.queryKey, queries.chain.queryKey, queries.config.queryKey, [listKeys.system]],
  instances: [[listKeys.system], adminQueries.recipients.queryKey, queries.status.queryKey],
}

/** Refetches the queries of these areas, see `isRefetchable`. */
export function refreshAreas(client: QueryClient, areas: readonly AdminArea[]): void {
  const keys = new Map(areas.flatMap((area) => queryKeysByArea[area]).map((key) => [JSON.stringify(key), key]))
  for (const queryKey of keys.values()) void client.invalidateQueries({ queryKey, predicate: isRefetchable })
}
