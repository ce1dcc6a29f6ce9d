import type { RequestBody, ResponseOf, Signal, SignalSeries } from '@tocsin/protocol'
import type { pollHeader } from '@tocsin/protocol/names'
import { isAnchoredOriginal } from './public-check.ts'

const urls = {
  alertPulse: '/api/alerts/pulse',
  currentUser: '/api/auth/user',
  findAnnouncements: '/api/announcements',
  logHead: '/api/log/head',
  logStats: '/api/log/stats',
  publicAlerts: '/api/alerts/public?limit=20',
} as const
export type PublicRead = keyof typeof urls

/**
 * Marks the requests of the page as polls, so that they do not count as activity in a staff
 * session. Repeats the name of the header, because the module that exports the name is in a chunk
 * that this page does not load.
 */
const headers = { 'tocsin-poll': '1' } satisfies Record<typeof pollHeader, string>

/**
 * Fetches public data. It does not use `call()`, because the schemas of the protocol are larger
 * than the landing page. The data is not validated, because it is only displayed.
 */
export async function readPublic<N extends PublicRead>(name: N, signal: AbortSignal): Promise<ResponseOf<N>> {
  if (name === 'publicAlerts') {
    const address = `${urls.publicAlerts}&minPriority=high`
    const urgentAlerts = await fetchJson<ResponseOf<'publicAlerts'>>(address, { signal, headers })
    // The cast is needed because TypeScript does not narrow N by a comparison of `name`.
    if (urgentAlerts.some(isAnchoredOriginal)) return urgentAlerts as ResponseOf<N>
  }
  return fetchJson(urls[name], { signal, headers })
}

/** Fetches the measured series of an alert from its feed message. Null if it has no series. */
export async function readSeries(alertId: string, signal: AbortSignal): Promise<SignalSeries | null> {
  const { message } = await fetchJson<ResponseOf<'alertSignal'>>(`/api/alerts/${alertId}/signal`, { signal })
  return message === null ? null : ((JSON.parse(message) as Signal).series ?? null)
}

/** Verifies a copy of an alert on the server. */
export function verifyPublic(body: RequestBody<'verifyAlert'>): Promise<ResponseOf<'verifyAlert'>> {
  const headers = { 'content-type': 'application/json' }
  return fetchJson('/api/alerts/verify', { method: 'POST', headers, body: JSON.stringify(body) })
}

async function fetchJson<Body>(address: string, init: RequestInit): Promise<Body> {
  const response = await fetch(address, init)
  if (!response.ok) throw new Error(`${address} returned ${response.status}`)
  return response.json()
}
