import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { useOtherTabs } from '../../other-tabs.ts'
import { savingPreferences } from '../../preferences.ts'
import { queries } from '../../queries.ts'
import { useStreamStatus } from '../../stream-status.ts'

const minRefetchMs = 3_000
const pollMs = 60_000

/**
 * Keeps preferences in sync with other tabs and devices. Changes arrive through the stream; without
 * a stream they are polled once a minute. Also refetches when the page is focused.
 */
export function useFreshPreferences(): void {
  const client = useQueryClient()
  const { isWanted } = useStreamStatus()
  const refetch = useCallback(() => {
    // A change is being saved; its response is newer than a refetch.
    if (client.isMutating({ mutationKey: savingPreferences }) > 0) return
    void client.invalidateQueries({ queryKey: queries.preferences.queryKey })
  }, [client])
  useOtherTabs('preferences', refetch)
  useEffect(() => {
    const refetchIfStale = () => {
      const readAt = client.getQueryState(queries.preferences.queryKey)?.dataUpdatedAt ?? 0
      if (document.visibilityState === 'visible' && Date.now() - readAt > minRefetchMs) refetch()
    }
    for (const name of ['focus', 'online']) addEventListener(name, refetchIfStale)
    document.addEventListener('visibilitychange', refetchIfStale)
    const timer = isWanted ? undefined : setInterval(refetchIfStale, pollMs)
    return () => {
      for (const name of ['focus', 'online']) removeEventListener(name, refetchIfStale)
      document.removeEventListener('visibilitychange', refetchIfStale)
      clearInterval(timer)
    }
  }, [client, refetch, isWanted])
}
