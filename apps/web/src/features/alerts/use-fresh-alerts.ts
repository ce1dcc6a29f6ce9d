import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { usePreferences } from '../../preferences.ts'
import { queries } from '../../queries.ts'
import { useStreamStatus } from '../../stream-status.ts'
import { useLogChange } from '../../use-log-change.ts'
import { pulseKey } from './alert-queries.ts'

/**
 * Without a stream only the log tells that there are new alerts: the newest are read when it has grown. Lists and unread counts follow
 * (`useUnread`). Readers who have turned real-time alerts off refresh by hand.
 */
export function useFreshAlerts(): void {
  const client = useQueryClient()
  const { isWanted } = useStreamStatus()
  const { preferences } = usePreferences()
  const isFollowing = !isWanted && preferences.realTimeAlerts
  const readAgain = useCallback(() => {
    if (!isFollowing) return
    for (const queryKey of [queries.recentAlerts.queryKey, [pulseKey]]) void client.invalidateQueries({ queryKey })
  }, [client, isFollowing])
  useLogChange(readAgain)
}
