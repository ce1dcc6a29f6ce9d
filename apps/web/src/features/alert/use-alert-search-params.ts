import { type AnyRouter, useRouter, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { type AlertSearchParams, readAlertSearchParams, toSearchParams } from './alert-search-params.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** True if the previous history entry is the same list without an open alert. */
    isAlertOpenedHere?: boolean
  }
}

/**
 * Returns the state of the list on this page and its setters. The URL stores the whole state,
 * including the open alert, so that Back closes the alert.
 */
export function useAlertSearchParams() {
  const router = useRouter()
  const search = useSearch({ strict: false })
  const key = JSON.stringify(readAlertSearchParams(search))
  // Keep the identity of the object while the URL stays the same, because the router creates a new
  // object for each render.
  const searchParams = useMemo((): AlertSearchParams => readAlertSearchParams(JSON.parse(key)), [key])

  const refine = useCallback((change: Partial<AlertSearchParams>) => refineSearchParams(router, change), [router])
  /** Replaces all filters and closes the open alert. */
  const open = useCallback(
    (filter: AlertSearchParams) =>
      void router.navigate({ to: '.', search: toSearchParams(filter), resetScroll: false }),
    [router],
  )
  const clear = useCallback(() => open({}), [open])
  const close = useCallback(() => {
    if (router.state.location.state.isAlertOpenedHere) router.history.back()
    else refine({})
  }, [router, refine])
  /** Opens the alert, or closes it if it is open. */
  const toggle = useCallback(
    (id: string) => {
      if (readAlertSearchParams(router.state.location.search).alert === id) close()
      else refine({ alert: id })
    },
    [router, refine, close],
  )
  return { searchParams, refine, open, clear, close, toggle }
}

/**
 * Changes the state of the list and adds a history entry. Consecutive changes of the search text
 * share one entry, and so do alerts that are opened one after the other.
 */
export function refineSearchParams(router: AnyRouter, change: Partial<AlertSearchParams>): void {
  const { search, state } = router.state.location
  const previousParams = readAlertSearchParams(search)
  const isTyping = previousParams.q !== undefined && change.q !== undefined
  const isReplacing = previousParams.alert !== undefined && change.alert !== undefined
  void router.navigate({
    to: '.',
    search: toSearchParams({ ...previousParams, alert: undefined, ...change }),
    state: { isAlertOpenedHere: change.alert !== undefined && (!isReplacing || state.isAlertOpenedHere === true) },
    replace: isTyping || isReplacing,
    resetScroll: false,
  })
}
