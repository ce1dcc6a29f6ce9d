import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { useOtherTabs } from '../../other-tabs.ts'
import { savingPreferences } from '../../preferences.ts'
import { queries } from '../../queries.ts'
import { useStreamStatus } from '../../stream-status.ts'

const freshMs = 3_000
const withoutStreamMs = 60_000

/** What another tab has chosen is here at once, and another device too where the stream runs; without one, within a minute, or as soon as somebody turns to this page. */
export function useFreshPreferences(): void {
  const client = useQueryClient()
  const { isWanted } = useStreamStatus()
  const readAgain = useCallback(() => {
    // A change of our own is on its way: its answer is newer than what a read would find.
    if (client.isMutating({ mutationKey: savingPreferences }) > 0) return
    void client.invalidateQueries({ queryKey: queries.preferences.queryKey })
  }, [client])
  useOtherTabs('preferences', readAgain)
  useEffect(() => {
    const look = () => {
      const readAt = client.getQueryState(queries.preferences.queryKey)?.dataUpdatedAt ?? 0
      if (document.visibilityState === 'visible' && Date.now() - readAt > freshMs) readAgain()
    }
    for (const name of ['focus', 'online']) addEventListener(name, look)
    document.addEventListener('visibilitychange', look)
    const timer = isWanted ? undefined : setInterval(look, withoutStreamMs)
    return () => {
      for (const name of ['focus', 'online']) removeEventListener(name, look)
      document.removeEventListener('visibilitychange', look)
      clearInterval(timer)
    }
  }, [client, readAgain, isWanted])
}
