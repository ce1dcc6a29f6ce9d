import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { queries } from '../../api/queries.ts'
import { usePreferences } from '../../session/preferences.ts'
import { useStreamStatus } from '../../stream/stream-status.ts'
import { useLogChange } from '../../stream/use-log-change.ts'
import { pulseKey } from '../alert/alert-queries.ts'

/**
 * Refetches the newest alerts when polling shows that the log has grown. This is the only sign of
 * new alerts while no stream is live. `useSyncedUnreadCount` then refetches lists and unread
 * counts. Does nothing if the user has turned real-time alerts off.
 */
export function useRefetchNewAlerts(): void {
  const client = useQueryClient()
  const { state } = useStreamStatus()
  const { preferences } = usePreferences()
  const isRefetchEnabled = state !== 'live' && preferences.realTimeAlerts
  const refetchRecent = useCallback(() => {
    if (!isRefetchEnabled) return
    for (const queryKey of [queries.recentAlerts.queryKey, [pulseKey]]) void client.invalidateQueries({ queryKey })
  }, [client, isRefetchEnabled])
  useLogChange(refetchRecent)
}
