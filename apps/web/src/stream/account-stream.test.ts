import { type QueryClient, QueryObserver } from '@tanstack/react-query'
import type { StreamOptions } from '@tocsin/client'
import { afterEach, expect, test, vi } from 'vitest'
import { getAlert } from '../../../../packages/protocol/test/support/sample-alert.ts'
import { createQueryClient, queries } from '../api/queries.ts'
import { openAccountStream } from './account-stream.ts'
import { updatedOnly } from './updated-only.ts'

const opened = vi.hoisted((): StreamOptions[] => [])
vi.mock('@tocsin/client', () => ({
  bySession: () => ({}),
  openAlertStream: (options: StreamOptions) => {
    opened.push(options)
    return { state: 'live', probe: () => {}, close: () => {} }
  },
}))
const keys = [queries.recentAlerts.queryKey, queries.userAlerts('u-1').queryKey] as const

let close = () => {}
afterEach(() => {
  close()
  vi.unstubAllGlobals()
})

/** Opens the stream and reports that it is live. */
function goLive(client: QueryClient, about: Parameters<NonNullable<StreamOptions['onLive']>>[0]) {
  vi.stubGlobal('location', { origin: 'http://localhost' })
  vi.stubGlobal('window', new EventTarget())
  const nothing = () => {}
  const callbacks = { announce: nothing, announceOutcome: nothing, announceMissed: nothing }
  close = openAccountStream(client, { userId: 'u-1', walletAddress: '0x1', ...callbacks })
  opened.at(-1)?.onLive?.(about)
}

const first = { missed: 0, recovered: true, isFirst: true }

test.each([
  ['after a reconnect', { missed: 3, recovered: true, isFirst: false }, 0],
  ['if it could not send all missed alerts', { missed: 0, recovered: false, isFirst: true }, 0],
  ['if the list is old', first, 60_000],
])('openAccountStream: reads all alerts again when it is live, %s', async (_when, about, ageMs) => {
  const client = createQueryClient()
  for (const key of keys) client.setQueryData(key, [], { updatedAt: Date.now() - ageMs })
  goLive(client, about)
  await expect.poll(() => keys.map((key) => client.getQueryState(key)?.isInvalidated)).toEqual([true, true])
})

test('openAccountStream: keeps alerts and anchors that arrive while all alerts are read again', async () => {
  const client = createQueryClient()
  const signed = getAlert(2)
  const [added, anchored] = [getAlert(3), { ...signed, avalancheTx: '0x01' }]
  client.setQueryData(keys[0], [signed])
  client.setQueryData(keys[1], [{ id: signed.id, alert: signed, isRead: true }])
  let respond = () => {}
  const promise = new Promise<void>((resolve) => (respond = resolve))
  const request = vi.fn(async (url: string) => {
    await promise
    return Response.json(url.includes('/recent') ? [signed] : [{ id: signed.id, alert: signed, isRead: true }])
  })
  vi.stubGlobal('fetch', request)
  const observers = [
    new QueryObserver(client, queries.recentAlerts),
    new QueryObserver(client, queries.userAlerts('u-1')),
  ]
  const stops = observers.map((observer) => observer.subscribe(() => {}))
  goLive(client, { missed: 3, recovered: true, isFirst: false })
  await expect.poll(() => request.mock.calls).toHaveLength(2)
  opened.at(-1)?.onUpdate?.(anchored)
  opened.at(-1)?.onAlert?.(added, false)
  respond()
  await expect.poll(() => client.isFetching()).toBe(0)
  await expect.poll(() => client.getQueryData(keys[0])).toEqual([added, anchored])
  expect(client.getQueryData(keys[1])).toEqual([
    { id: added.id, alert: added, isRead: false },
    { id: signed.id, alert: anchored, isRead: true },
  ])
  for (const stop of stops) stop()
})

test('openAccountStream: remembers alerts of which only an update arrived, until they arrive themselves', () => {
  const client = createQueryClient()
  const [listed, unlisted] = [getAlert(5), getAlert(3)]
  client.setQueryData(keys[0], [listed])
  goLive(client, first)
  opened.at(-1)?.onUpdate?.(listed)
  opened.at(-1)?.onUpdate?.(unlisted)
  expect([...updatedOnly]).toEqual([unlisted.id])
  opened.at(-1)?.onAlert?.(unlisted, false)
  expect([...updatedOnly]).toEqual([])
})

test('openAccountStream: changes only the newest alerts that differ when it is live for the first time', async () => {
  const client = createQueryClient()
  const [same, signed, locked] = [getAlert(3), getAlert(2), { id: 'x', locked: true, logIndex: 1 }]
  const anchored = { ...signed, avalancheTx: '0x01' }
  client.setQueryData(keys[0], [same, signed])
  client.setQueryData(keys[1], [{ id: signed.id, alert: signed, isRead: true }])
  vi.stubGlobal('fetch', async () => Response.json([same, anchored, locked]))
  goLive(client, first)
  await expect.poll(() => client.getQueryData(keys[0])).toEqual([same, anchored])
  expect(client.getQueryData(keys[0])?.[0]).toBe(same)
  expect(client.getQueryData(keys[1])).toEqual([{ id: signed.id, alert: anchored, isRead: true }])
  expect(keys.map((key) => client.getQueryState(key)?.isInvalidated)).toEqual([false, false])
})

test('openAccountStream: keeps an anchor that arrives while it reads the newest alerts', async () => {
  const client = createQueryClient()
  const [newest, signed] = [getAlert(3), getAlert(2)]
  const [anchoredNewest, anchored] = [newest, signed].map((alert) => ({ ...alert, avalancheTx: '0x01' }))
  client.setQueryData(keys[0], [newest, signed])
  let respond = (_response: Response) => {}
  const request = vi.fn(() => new Promise<Response>((resolve) => (respond = resolve)))
  vi.stubGlobal('fetch', request)
  goLive(client, first)
  await expect.poll(() => request.mock.calls).toHaveLength(1)
  if (anchoredNewest) opened.at(-1)?.onUpdate?.(anchoredNewest)
  respond(Response.json([newest, anchored]))
  await expect.poll(() => client.getQueryData(keys[0])?.[1]).toEqual(anchored)
  expect(client.getQueryData(keys[0])?.[0]).toEqual(anchoredNewest)
})

test('openAccountStream: refetches the newest alerts if they cannot be read when it is live', async () => {
  const client = createQueryClient()
  for (const key of keys) client.setQueryData(key, [])
  vi.stubGlobal('fetch', async () => Response.json({ message: 'Bad gateway' }, { status: 502 }))
  goLive(client, first)
  await expect.poll(() => keys.map((key) => client.getQueryState(key)?.isInvalidated)).toEqual([true, false])
})
