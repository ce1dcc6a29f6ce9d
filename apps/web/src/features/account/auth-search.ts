import { z } from 'zod'
import { paths } from '../../paths.ts'

const authSearch = z.object({
  tab: z.enum(['log-in', 'sign-up']).catch('log-in'),
  mode: z.enum(['forgot-password']).optional().catch(undefined),
  next: z.string().optional().catch(undefined),
})

/**
 * What the address of /auth says: the tab, the forgot-password mode, and where to go once signed
 * in.
 */
type AuthSearch = z.infer<typeof authSearch>
export type AuthTab = AuthSearch['tab']

export function readAuthSearch(search: unknown): AuthSearch {
  return authSearch.parse(search)
}

/** The address of /auth in that state. Parts left out take their default. */
export function authHref({ tab = 'log-in', mode, next }: Partial<AuthSearch>): string {
  const query = new URLSearchParams()
  if (tab !== 'log-in') query.set('tab', tab)
  if (mode !== undefined) query.set('mode', mode)
  if (next !== undefined) query.set('next', next)
  return query.size > 0 ? `${paths.auth}?${query}` : paths.auth
}

const destinations: readonly string[] = [
  paths.dashboard,
  paths.notifications,
  paths.history,
  paths.verification,
  paths.settings,
  paths.admin,
]

/**
 * Where a sign-in leads: `next` only if it is one of our own pages, with any query; a link must not
 * send people elsewhere.
 */
export function destinationOf(next: string | undefined): string {
  const [path = ''] = (next ?? '').split('?')
  return next !== undefined && destinations.includes(path) ? next : paths.dashboard
}
