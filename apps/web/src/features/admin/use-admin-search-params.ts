import { useRouter, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { paths } from '../../paths.ts'
import { type AdminSearchParams, omitDefaults, readAdminSearchParams } from './admin-search-params.ts'

interface AdminNavigation {
  /** Opens a view and adds a history entry, so that Back returns to the previous view. */
  open: (searchParams: Partial<AdminSearchParams>) => void
  /** Changes filters and replaces the history entry, so that Back leaves the list immediately. */
  refine: (change: Partial<AdminSearchParams>) => void
  /** Opens the details of an account over the current view; undefined closes them. */
  show: (user: string | undefined) => void
  /** Opens a support message over the current view; undefined closes it. */
  showLetter: (letter: number | undefined) => void
}

/** Returns the state of the admin area and its setters. The URL stores the whole state. */
export function useAdminSearchParams(): AdminSearchParams & { go: AdminNavigation } {
  const router = useRouter()
  const search = useSearch({ strict: false })
  const searchParams = useMemo(() => readAdminSearchParams(search), [search])
  const navigateTo = useCallback(
    (next: Partial<AdminSearchParams>, replace: boolean) =>
      void router.navigate({ to: paths.admin, search: omitDefaults(next), replace, resetScroll: false }),
    [router],
  )
  const go = useMemo<AdminNavigation>(() => {
    const readCurrent = () => readAdminSearchParams(router.state.location.search)
    return {
      open: (next) => navigateTo(next, false),
      refine: (change) => navigateTo({ ...readCurrent(), ...change }, true),
      show: (user) => navigateTo({ ...readCurrent(), user }, user === undefined),
      showLetter: (letter) => navigateTo({ ...readCurrent(), letter }, letter === undefined),
    }
  }, [router, navigateTo])
  return useMemo(() => ({ ...searchParams, go }), [searchParams, go])
}
