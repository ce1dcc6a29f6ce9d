import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { useOtherTabs } from '../../other-tabs.ts'
import { queries } from '../../queries.ts'
import { setTabUnreadCount } from '../../tab-title.ts'
import { isShort, listKey, noteReadChange } from './alert-queries.ts'
import { useUnreadCount } from './use-unread-count.ts'

const [recentKey] = queries.recentAlerts.queryKey

/**
 * How many alerts wait to be read, in the tab's title too. Other tabs tell what was read there, and
 * so do other devices where the stream runs; without one the count is polled.
 */
export function useUnread(): number {
  const client = useQueryClient()
  const count = useUnreadCount()
  useEffect(() => {
    setTabUnreadCount(count)
    return () => setTabUnreadCount(0)
  }, [count])
  const readReads = useCallback(() => readAgain(client), [client])
  useOtherTabs('reads', readReads)
  // Whoever reads the newest anew (a plan has begun or ended, the stream has a gap) would otherwise
  // have older lists beside them.
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        const isRead = event.type === 'updated' && event.action.type === 'success' && !event.action.manual
        if (isRead && event.query.queryKey[0] === recentKey && event.query.state.dataUpdateCount > 1) readReads()
      }),
    [client, readReads],
  )
  return count
}

/**
 * Asks again what was read, and what the lists show. Lists that somebody has paged far into stay as
 * they are.
 */
export function readAgain(client: QueryClient): void {
  noteReadChange()
  void client.invalidateQueries({ queryKey: queries.unread.queryKey })
  // All under this key are pages of alerts.
  void client.invalidateQueries({ queryKey: [listKey], predicate: ({ state }) => isShort(state.data as never) })
}
