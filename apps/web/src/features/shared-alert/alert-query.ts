import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { type AlertAt, alertAt } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { call } from '../../api/api.ts'
import { endPendingLogout } from '../../api/pending-logout.ts'
import { queries } from '../../api/queries.ts'
import { computeRecheckDelayMs } from '../alert/recheck-delay.ts'
import { readAlertJson } from './alert-element.ts'

/** Parses a log index in a path. Null unless it is a whole number in plain digits. */
export function parseIndex(text: string): number | null {
  const index = /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : null
  return index === null || !Number.isSafeInteger(index) ? null : index
}

function getIndex(page: AlertAt): number {
  return page.access === 'withheld' ? page.logIndex : page.bundle.alert.logIndex
}

/**
 * Returns the alert in the HTML of the page. The HTML omits the content of an alert that is not
 * public, but the API may return the content to this user.
 */
function readEmbeddedAlert(index: number): AlertAt | undefined {
  const json = readAlertJson()
  if (json === null) return undefined
  if (embeddedAlertCache?.json !== json) embeddedAlertCache = { json, page: alertAt.safeParse(JSON.parse(json)).data }
  return embeddedAlertCache.page && getIndex(embeddedAlertCache.page) === index ? embeddedAlertCache.page : undefined
}

/**
 * Cached, so that each call returns the same object: a new object would make the page check the
 * alert again.
 */
let embeddedAlertCache: { json: string; page: AlertAt | undefined } | undefined

/**
 * Minimum delay in ms until a withheld alert is read again. It prevents continuous requests if the
 * clock of the browser is ahead of the clock of the server.
 */
const minRefetchDelayMs = 15_000

/** Delay in ms until the next read. A withheld alert is read again when it becomes public. */
export function computeRefetchDelayMs(page: AlertAt | undefined, nowMs: number): number | false {
  if (!page) return false
  if (page.access !== 'withheld') return computeRecheckDelayMs(page.bundle.alert, nowMs)
  return Math.min(Math.max(Date.parse(page.publicAt) - nowMs, minRefetchDelayMs), DAY_MS)
}

/**
 * The response depends on the session, so each user has a separate query.
 * @param token from the fragment of a shared link, or empty if the link has no fragment
 * @param userId null for visitors
 */
export function createAlertQuery(index: number, token: string, userId: string | null) {
  return queryOptions({
    queryKey: ['/api/alerts/at', index, token, userId],
    queryFn: ({ signal }) => fetchAlert(index, token, signal),
    initialData: (): AlertAt | undefined => {
      const found = readEmbeddedAlert(index)
      return found?.access === 'public' ? found : undefined
    },
    refetchInterval: ({ state }) => computeRefetchDelayMs(state.data, Date.now()),
    // Refetch in hidden tabs too. The interval of a withheld alert is the time until it becomes
    // public, so a skipped refetch would be repeated too late.
    refetchIntervalInBackground: true,
    placeholderData: (): AlertAt | undefined => (token === '' ? readEmbeddedAlert(index) : undefined),
  })
}

async function fetchAlert(index: number, token: string, signal?: AbortSignal): Promise<AlertAt> {
  // End a pending logout first, because the session must not be used any more.
  await endPendingLogout()
  const input = { params: { index: String(index) }, ...(signal ? { signal } : {}) }
  return token === '' ? call('alertAt', input) : call('openSharedAlert', { ...input, body: { token } })
}

/**
 * Loads the alert before the app replaces the prerendered page. With a shared link or a session,
 * the API may return more than the page contains.
 */
export async function prefetchAlert(queryClient: QueryClient): Promise<void> {
  const index = parseIndex(location.pathname.replace(/^\/a\/|\/$/g, ''))
  if (index === null || readEmbeddedAlert(index)?.access === 'public') return
  const token = location.hash.slice(1)
  // Fetch the alert and the user in parallel. The alert is stored afterwards, because its query key
  // contains the user id.
  const [page] = await Promise.all([
    fetchAlert(index, token).catch(() => undefined),
    queryClient.prefetchQuery(queries.currentUser),
  ])
  const userId = queryClient.getQueryData(queries.currentUser.queryKey)?.user?.id ?? null
  queryClient.setQueryData(createAlertQuery(index, token, userId).queryKey, page)
}
