import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { queries } from '../../api/queries.ts'
import { usePreferences } from '../../session/preferences.ts'
import { useStreamStatus } from '../../stream/stream-status.ts'
import { useLogChange } from '../../stream/use-log-change.ts'
import { pulseKey } from '../alert/alert-queries.ts'

/**
 * Without a stream, polling the log head is the only sign of new alerts. This reads the newest
 * alerts when the log has grown; lists and unread counts follow in `useUnread`. Users who turned
 * real-time alerts off refresh by hand.
 */
export function useFreshAlerts(): void {
  const client = useQueryClient()
  const { isWanted } = useStreamStatus()
  const { preferences } = usePreferences()
  const isFollowing = !isWanted && preferences.realTimeAlerts
  const refetchRecent = useCallback(() => {
    if (!isFollowing) return
    for (const queryKey of [queries.recentAlerts.queryKey, [pulseKey]]) void client.invalidateQueries({ queryKey })
  }, [client, isFollowing])
  useLogChange(refetchRecent)
}
