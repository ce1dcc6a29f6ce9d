import { useRouter, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { paths } from '../../paths.ts'
import { type AdminPlace, readAdminPlace, searchOf } from './admin-search.ts'

interface Go {
  /** Opens a view and adds a history entry. */
  open: (place: Partial<AdminPlace>) => void
  /** Changes filters and replaces the history entry, so that Back leaves the list. */
  refine: (change: Partial<AdminPlace>) => void
  /** Opens the details of an account over the current view; undefined closes them. */
  show: (user: string | undefined) => void
}

/** The state of the admin area and its setters. All of it is in the URL. */
export function useAdminPlace(): AdminPlace & { go: Go } {
  const router = useRouter()
  const search = useSearch({ strict: false })
  const place = useMemo(() => readAdminPlace(search), [search])
  const to = useCallback(
    (next: Partial<AdminPlace>, replace: boolean) =>
      void router.navigate({ to: paths.admin, search: searchOf(next), replace, resetScroll: false }),
    [router],
  )
  const go = useMemo<Go>(
    () => ({
      open: (next) => to(next, false),
      refine: (change) => to({ ...readAdminPlace(router.state.location.search), ...change }, true),
      show: (user) => to({ ...readAdminPlace(router.state.location.search), user }, user === undefined),
    }),
    [router, to],
  )
  return useMemo(() => ({ ...place, go }), [place, go])
}
