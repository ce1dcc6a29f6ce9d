import { useRouter, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { paths } from '../../paths.ts'
import { type AlertPlace, readAlertPlace, searchOf } from './alert-place.ts'

/** The state of the list on this page and its setters. All of it is in the URL. */
export function useAlertPlace(path: typeof paths.notifications | typeof paths.dashboard) {
  const router = useRouter()
  const search = useSearch({ strict: false })
  const key = JSON.stringify(readAlertPlace(search))
  // Keeps the object identity while the URL is the same: the router creates a new object per
  // render.
  const place = useMemo((): AlertPlace => readAlertPlace(JSON.parse(key)), [key])

  /**
   * Changes the place and adds a history entry. Consecutive keystrokes in the search share one
   * entry, and so do alerts that are opened one after the other.
   */
  const refine = useCallback(
    (change: Partial<AlertPlace>) => {
      const before = readAlertPlace(router.state.location.search)
      const isTyping = before.q !== undefined && change.q !== undefined
      const isReplacing = before.alert !== undefined && change.alert !== undefined
      void router.navigate({
        to: path,
        search: searchOf({ ...before, alert: undefined, ...change }),
        replace: isTyping || isReplacing,
        resetScroll: false,
      })
    },
    [router, path],
  )
  /** Replaces all filters and closes the open alert. */
  const open = useCallback(
    (filter: AlertPlace) => void router.navigate({ to: path, search: searchOf(filter), resetScroll: false }),
    [router, path],
  )
  const clear = useCallback(() => open({}), [open])
  return { place, refine, open, clear }
}
