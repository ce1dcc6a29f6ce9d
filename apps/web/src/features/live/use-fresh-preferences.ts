import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { queries } from '../../api/queries.ts'
import { useOtherTabs } from '../../browser/other-tabs.ts'
import { savingPreferences } from '../../session/preferences.ts'

/** Keeps preferences in sync with other tabs, and with other devices while the stream is open. */
export function useFreshPreferences(): void {
  const client = useQueryClient()
  const refetch = useCallback(() => {
    // A change is being saved; its response is newer than a refetch.
    if (client.isMutating({ mutationKey: savingPreferences }) > 0) return
    void client.invalidateQueries({ queryKey: queries.preferences.queryKey })
  }, [client])
  useOtherTabs('preferences', refetch)
}
