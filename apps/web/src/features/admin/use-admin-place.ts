import { useRouter, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { paths } from '../../paths.ts'
import { type AdminPlace, readAdminPlace, searchOf } from './admin-search.ts'

interface Go {
  /** Elsewhere in the admin area, as a step that Back undoes. */
  open: (place: Partial<AdminPlace>) => void
  /** Changes the address where one is. Filters are no steps: Back leaves the list. */
  refine: (change: Partial<AdminPlace>) => void
  /** Opens an account's details over where one is, or with undefined closes them. */
  show: (user: string | undefined) => void
}

/** Where in the admin area one is, and the ways from there. All of it is in the address. */
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
