import { paths } from '../../paths.ts'

/** Query parameters of /auth. `next` is the URL to open after signing in. */
interface AuthSearchParams {
  tab: 'log-in' | 'sign-up'
  mode: 'forgot-password' | undefined
  next: string | undefined
}
export type AuthTab = AuthSearchParams['tab']

/** Reads the query parameters of /auth. Replaces invalid values by the default. */
export function readAuthSearchParams({ tab, mode, next }: { [name: string]: unknown }): AuthSearchParams {
  return {
    tab: tab === 'sign-up' ? tab : 'log-in',
    mode: mode === 'forgot-password' ? mode : undefined,
    next: typeof next === 'string' ? next : undefined,
  }
}

/** Returns the URL of /auth with these parameters. */
export function formatAuthHref({ tab = 'log-in', mode, next }: Partial<AuthSearchParams>): string {
  const query = new URLSearchParams()
  if (tab !== 'log-in') query.set('tab', tab)
  if (mode !== undefined) query.set('mode', mode)
  if (next !== undefined) query.set('next', next)
  return query.size > 0 ? `${paths.auth}?${query}` : paths.auth
}

/**
 * Paths of the pages for signed-in users, without the pages of assets (see `assetPathPattern`). A
 * sign-in can return to them. router.test.ts checks that the list is complete.
 */
export const guardedPaths = [
  paths.dashboard,
  paths.notifications,
  paths.history,
  paths.verification,
  paths.settings,
  paths.channels,
  paths.admin,
] as const

const destinations: readonly string[] = guardedPaths
/**
 * Matches the paths that `createAssetPath` returns. A path with an unescaped dot does not match,
 * because the server treats it as the path of a file.
 */
const assetPathPattern = /^\/assets\/(?:[\w%!'()*-]|~[~.-])+$/

/**
 * Returns the URL to open after signing in: `next` (with its query and fragment) if its path is a
 * known page of this site, else the dashboard. The check prevents open redirects.
 */
export function parseNextPath(next: string | undefined): string {
  const [path = ''] = (next ?? '').split(/[?#]/)
  return next !== undefined && (destinations.includes(path) || assetPathPattern.test(path)) ? next : paths.dashboard
}
