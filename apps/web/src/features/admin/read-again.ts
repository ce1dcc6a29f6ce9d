import type { QueryClient } from '@tanstack/react-query'
import type { AdminUser } from '@tocsin/protocol'
import { queries } from '../../queries.ts'
import { adminQueries, listKeys } from './admin-queries.ts'

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
    listKeys.users,
    listKeys.counts,
    listKeys.stats,
    listKeys.system,
    listKeys.audit,
  ])
    void client.invalidateQueries({ queryKey: [key] })
}
