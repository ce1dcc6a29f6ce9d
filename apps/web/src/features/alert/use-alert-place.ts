import { useRouter, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { paths } from '../../paths.ts'
import { type AlertPlace, omitUndefined, readAlertPlace } from './alert-place.ts'

/** The state of the list and its setters. All of it is in the URL. */
export function useAlertPlace() {
  const router = useRouter()
  const search = useSearch({ strict: false })
  const key = JSON.stringify(readAlertPlace(search))
  // Keeps the object identity while the URL is the same: the router creates a new object per
  // render.
  const place = useMemo((): AlertPlace => readAlertPlace(JSON.parse(key)), [key])

  /**
   * Changes filters and adds a history entry. Consecutive keystrokes in the search share one entry.
   */
  const refine = useCallback(
    (change: Partial<AlertPlace>) => {
      const before = readAlertPlace(router.state.location.search)
      const isTyping = before.q !== undefined && change.q !== undefined
      void router.navigate({
        to: paths.notifications,
        search: omitUndefined({ ...before, alert: undefined, ...change }),
        replace: isTyping,
        resetScroll: false,
      })
    },
    [router],
  )
  const clear = useCallback(
    () => void router.navigate({ to: paths.notifications, search: {}, resetScroll: false }),
    [router],
  )
  return { place, refine, clear }
}
