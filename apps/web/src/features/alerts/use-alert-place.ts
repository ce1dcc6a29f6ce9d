import { useRouter, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { paths } from '../../paths.ts'
import { type AlertPlace, readAlertPlace, withoutGaps } from './alert-place.ts'

/** Where in the list one is, and the way to elsewhere in it. All of it is in the address. */
export function useAlertPlace() {
  const router = useRouter()
  const search = useSearch({ strict: false })
  const key = JSON.stringify(readAlertPlace(search))
  // Equal addresses are one place: the router makes a new object of them at every turn.
  const place = useMemo((): AlertPlace => readAlertPlace(JSON.parse(key)), [key])

  /** Changes the selection, which Back takes back. Letters that follow letters are one step. */
  const refine = useCallback(
    (change: Partial<AlertPlace>) => {
      const before = readAlertPlace(router.state.location.search)
      const isTyping = before.q !== undefined && change.q !== undefined
      void router.navigate({
        to: paths.notifications,
        search: withoutGaps({ ...before, alert: undefined, ...change }),
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
