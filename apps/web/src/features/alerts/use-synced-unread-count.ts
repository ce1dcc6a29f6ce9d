import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { queries } from '../../api/queries.ts'
import { useOtherTabs } from '../../browser/other-tabs.ts'
import { setTabUnreadCount } from '../../browser/tab-title.ts'
import { hasFewPages, invalidateReads, listKey, oneKey } from '../alert/alert-queries.ts'
import { useUnreadCount } from './use-unread-count.ts'

const [recentKey] = queries.recentAlerts.queryKey

/**
 * Returns the number of unread alerts and shows it in the tab title. Refetches the count when
 * another tab marks alerts as read. Changes by other devices arrive through the stream, or by
 * polling if no stream is open.
 */
export function useSyncedUnreadCount(): number {
  const client = useQueryClient()
  const count = useUnreadCount()
  useEffect(() => {
    setTabUnreadCount(count)
    return () => setTabUnreadCount(0)
  }, [count])
  const refetch = useCallback(() => refetchReadState(client), [client])
  useOtherTabs('reads', refetch)
  // The newest alerts are refetched, for example, when a subscription begins or ends, or after the
  // stream was interrupted. The lists are then outdated as well, so refetch them too.
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        const isFetchResult = event.type === 'updated' && event.action.type === 'success' && !event.action.manual
        if (isFetchResult && event.query.queryKey[0] === recentKey && event.query.state.dataUpdateCount > 1) refetch()
      }),
    [client, refetch],
  )
  return count
}

/** Refetches the unread count, the linked alert and the lists, except for long lists. */
export function refetchReadState(client: QueryClient): void {
  invalidateReads()
  for (const queryKey of [queries.unread.queryKey, [oneKey]]) void client.invalidateQueries({ queryKey })
  // The cast is safe, because all queries under this key are pages of alerts.
  void client.invalidateQueries({ queryKey: [listKey], predicate: ({ state }) => hasFewPages(state.data as never) })
}
