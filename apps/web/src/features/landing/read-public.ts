import type { RequestBody, ResponseOf, Signal, SignalSeries } from '@tocsin/protocol'

const addresses = {
  alertPulse: '/api/alerts/pulse',
  currentUser: '/api/auth/user',
  logHead: '/api/log/head',
  logStats: '/api/log/stats',
  publicAlerts: '/api/alerts/public?limit=20',
} as const
export type PublicRead = keyof typeof addresses

/**
 * What anybody may read. Not through `call()`: the protocol's schemas weigh more than the whole landing page, and what comes
 * here is only shown.
 */
export function readPublic<N extends PublicRead>(name: N, signal: AbortSignal): Promise<ResponseOf<N>> {
  return ask(addresses[name], { signal })
}

/** What the model measured around an alert, of the message that its feed has sent; null where there is none. */
export async function readSeries(alertId: string, signal: AbortSignal): Promise<SignalSeries | null> {
  const { message } = await ask<ResponseOf<'alertSignal'>>(`/api/alerts/${alertId}/signal`, { signal })
  return message === null ? null : ((JSON.parse(message) as Signal).series ?? null)
}

/** Asks the server to check a copy of an alert. */
export function verifyPublic(body: RequestBody<'verifyAlert'>): Promise<ResponseOf<'verifyAlert'>> {
  const headers = { 'content-type': 'application/json' }
  return ask('/api/alerts/verify', { method: 'POST', headers, body: JSON.stringify(body) })
}

async function ask<Answer>(address: string, init: RequestInit): Promise<Answer> {
  const answer = await fetch(address, init)
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`)
  return answer.json()
}
