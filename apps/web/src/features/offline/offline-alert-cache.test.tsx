// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render } from '@testing-library/react'
import type { Alert } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { fakeCaches } from '../../../test/support/fake-caches.ts'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { clearOfflineAlerts, readOfflineAlerts } from '../../session/offline-alerts.ts'
import { streamStatus } from '../../stream/stream-status.ts'
import { OfflineAlertCache } from './offline-alert-cache.tsx'

const at = '2026-11-21T14:32:07.000Z'
afterEach(async () => {
  cleanup()
  await clearOfflineAlerts()
  vi.unstubAllGlobals()
  streamStatus.setState('offline', false, at)
  localStorage.clear()
})

const createAlert = (logIndex: number) => ({ id: `a${logIndex}`, logIndex }) as unknown as Alert
/** Alerts with consecutive log indexes, newest first. */
const createAlerts = (newest: number, oldest: number) =>
  Array.from({ length: newest - oldest + 1 }, (_none, index) => createAlert(newest - index))

/**
 * Opens the cache with one stored alert.
 * @param newest an alert that arrives during the first read
 */
async function openCache(newest?: Alert) {
  vi.stubGlobal('caches', fakeCaches().storage)
  const listOf = (list: Alert[]) => ({
    items: list.map((each) => ({ id: each.id, alert: each, isRead: true })),
    next: null,
  })
  const answers: Record<string, object> = {
    '/api/auth/sessions': [{ isCurrent: true, remembered: true }],
    '/api/alerts/search': listOf([createAlert(1)]),
  }
  vi.stubGlobal('fetch', async (url: string) => {
    const answer = answers[url.split('?')[0] ?? ''] ?? {}
    if (newest && url.startsWith('/api/alerts/search')) respondAt.recent(Date.now(), [newest, createAlert(1)])
    return answer instanceof Response ? answer.clone() : Response.json(answer)
  })
  const client = createQueryClient()
  // Only these fields are read.
  client.setQueryData<object>(queries.currentUser.queryKey, { success: true, user: { id: 'u1', isAdmin: false } })
  client.setQueryData(queries.activeSubscription('u1').queryKey, null)
  const respondAt = {
    recent: (updatedAt: number, list: Alert[] = [createAlert(1)]) =>
      act(() => client.setQueryData(queries.recentAlerts.queryKey, list, { updatedAt })),
    /** Sets the alerts that the server returns. If the list is null, requests for alerts fail. */
    search: (list: Alert[] | null) => {
      answers['/api/alerts/search'] = list ? listOf(list) : new Response('', { status: 503 })
    },
    head: (updatedAt: number) => act(() => client.setQueryData<object>(queries.logHead.queryKey, {}, { updatedAt })),
  }
  respondAt.recent(Date.now())
  respondAt.head(Date.now())
  render(
    <QueryClientProvider client={client}>
      <AuthProvider>
        <OfflineAlertCache />
      </AuthProvider>
    </QueryClientProvider>,
  )
  await expect.poll(async () => (await readOfflineAlerts())?.alerts).toHaveLength(1)
  return respondAt
}

const readAsOfMs = async () => (await readOfflineAlerts())?.asOfMs

test('OfflineAlertCache: stores the time of the last read of recent alerts when no stream is live', async () => {
  streamStatus.setState('reconnecting', true, at)
  const answerAt = await openCache()
  const nowMs = Date.now()
  answerAt.head(nowMs + 60_000)
  answerAt.recent(nowMs + 30_000)
  await expect.poll(readAsOfMs).toBe(nowMs + 30_000)
})

test('OfflineAlertCache: stores the time of the last poll of the log when the stream is live', async () => {
  streamStatus.setState('live', true, at)
  const answerAt = await openCache()
  const nowMs = Date.now()
  answerAt.head(nowMs + 60_000)
  await expect.poll(readAsOfMs).toBe(nowMs + 60_000)
  act(() => streamStatus.setState('reconnecting', true, at))
  expect(await readAsOfMs(), 'the loss of the stream does not make it older').toBe(nowMs + 60_000)
})

test('OfflineAlertCache: stores new alerts together with the time at which they were read', async () => {
  streamStatus.setState('reconnecting', true, at)
  const answerAt = await openCache()
  const nowMs = Date.now()
  answerAt.recent(nowMs + 30_000, [createAlert(2), createAlert(1)])
  await expect.poll(readAsOfMs).toBe(nowMs + 30_000)
  expect((await readOfflineAlerts())?.alerts).toHaveLength(2)
})

test('OfflineAlertCache: stores an alert that arrives during the first read', async () => {
  streamStatus.setState('live', true, at)
  await openCache(createAlert(2))
  await expect.poll(async () => (await readOfflineAlerts())?.alerts).toHaveLength(2)
})

test('OfflineAlertCache: refetches all alerts when the recent alerts do not include every missed alert', async () => {
  streamStatus.setState('live', true, at)
  const answerAt = await openCache()
  answerAt.search(createAlerts(20, 1))
  answerAt.recent(Date.now(), createAlerts(20, 11))
  await expect.poll(async () => (await readOfflineAlerts())?.alerts).toHaveLength(20)
})

test('OfflineAlertCache: keeps the stored time while missed alerts cannot be fetched, and retries the fetch', async () => {
  streamStatus.setState('live', true, at)
  const answerAt = await openCache()
  const asOfBefore = await readAsOfMs()
  const nowMs = Date.now()
  answerAt.search(null)
  answerAt.recent(nowMs + 30_000, createAlerts(20, 11))
  answerAt.head(nowMs + 60_000)
  expect(await readAsOfMs()).toBe(asOfBefore)
  answerAt.search(createAlerts(100, 1))
  let newest = 20
  const count = async () => {
    newest += 1
    answerAt.recent(nowMs + 60_000 + newest, createAlerts(newest, newest - 9))
    return (await readOfflineAlerts())?.alerts
  }
  await expect.poll(count).toHaveLength(100)
})
