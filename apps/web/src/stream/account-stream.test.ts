import { type QueryClient, QueryObserver } from '@tanstack/react-query'
import type { StreamOptions } from '@tocsin/client'
import type { Alert, ServerMessage } from '@tocsin/protocol'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { getAlert } from '../../../../packages/protocol/test/support/sample-alert.ts'
import { createQueryClient, queries } from '../api/queries.ts'
import { type AlertStreamOptions, openAccountStream } from './account-stream.ts'
import { unlistedUpdateIds } from './updated-only.ts'

const openedStreams = vi.hoisted((): StreamOptions[] => [])
vi.mock('@tocsin/client', () => ({
  bySession: () => ({}),
  openAlertStream: (options: StreamOptions) => {
    openedStreams.push(options)
    return { state: 'live', probe: () => {}, close: () => {} }
  },
}))
const keys = [queries.recentAlerts.queryKey, queries.userAlerts('u-1').queryKey] as const

let close = () => {}
const tab = { hidden: false }
let drawFrame = () => {}
beforeEach(() => {
  tab.hidden = false
  drawFrame = () => {}
  vi.stubGlobal('location', { origin: 'http://localhost' })
  vi.stubGlobal('window', new EventTarget())
  vi.stubGlobal('document', tab)
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => {
    drawFrame = run
  })
  vi.stubGlobal('cancelAnimationFrame', () => {
    drawFrame = () => {}
  })
})
afterEach(() => {
  close()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function openStream(client: QueryClient, announce: AlertStreamOptions['announce'] = () => {}) {
  close = openAccountStream(client, { userId: 'u-1', walletAddress: '0x1', announce })
}

/** Opens the stream and reports that it is live. */
function goLive(client: QueryClient, liveEvent: Parameters<NonNullable<StreamOptions['onLive']>>[0]) {
  openStream(client)
  openedStreams.at(-1)?.onLive?.(liveEvent)
}

/**
 * Delivers a message as the stream client does: to `onMessage`, and an alert then also to
 * `onUpdate` or `onAlert`.
 */
function receive(message: ServerMessage) {
  const options = openedStreams.at(-1)
  options?.onMessage?.(message)
  if (message.type !== 'new_alert') return
  const { alert, isUpdate } = message
  if (isUpdate || options?.isKnown?.(alert.id)) options?.onUpdate?.(alert)
  else options?.onAlert?.(alert, false)
}
const receiveAlert = (alert: Alert) => receive({ type: 'new_alert', alert })
const receiveUpdate = (alert: Alert) => receive({ type: 'new_alert', alert, isUpdate: true })

/** Creates a query client whose two cached alert lists contain these alerts. */
function createClient(...alerts: Alert[]): QueryClient {
  const client = createQueryClient()
  client.setQueryData(keys[0], alerts)
  client.setQueryData(
    keys[1],
    alerts.map((alert) => ({ id: alert.id, alert, isRead: true })),
  )
  return client
}

/** Returns a function that counts the updates of each list since this call. */
function countUpdates(client: QueryClient): () => number[] {
  const updated: unknown[] = []
  client.getQueryCache().subscribe(({ type, query }) => {
    if (type === 'updated') updated.push(query.queryKey[0])
  })
  return () => keys.map(([path]) => updated.filter((each) => each === path).length)
}
const listedIds = (client: QueryClient) => client.getQueryData(keys[0])?.map(({ id }) => id)

const first = { missed: 0, recovered: true, isFirst: true }

test.each([
  ['after a reconnect', { missed: 3, recovered: true, isFirst: false }, 0],
  ['if the stream could not send all missed alerts', { missed: 0, recovered: false, isFirst: true }, 0],
  ['if the list is old', first, 60_000],
])('openAccountStream: refetches all alerts when the stream becomes live %s', async (_when, about, ageMs) => {
  const client = createQueryClient()
  for (const key of keys) client.setQueryData(key, [], { updatedAt: Date.now() - ageMs })
  goLive(client, about)
  await expect.poll(() => keys.map((key) => client.getQueryState(key)?.isInvalidated)).toEqual([true, true])
})

test('openAccountStream: keeps alerts and anchors that arrive during a refetch of all alerts', async () => {
  const client = createQueryClient()
  const signedAlert = getAlert(2)
  const [addedAlert, anchored] = [getAlert(3), { ...signedAlert, avalancheTx: '0x01' }]
  client.setQueryData(keys[0], [signedAlert])
  client.setQueryData(keys[1], [{ id: signedAlert.id, alert: signedAlert, isRead: true }])
  let respond = () => {}
  const promise = new Promise<void>((resolve) => (respond = resolve))
  const request = vi.fn(async (url: string) => {
    await promise
    return Response.json(
      url.includes('/recent') ? [signedAlert] : [{ id: signedAlert.id, alert: signedAlert, isRead: true }],
    )
  })
  vi.stubGlobal('fetch', request)
  const observers = [
    new QueryObserver(client, queries.recentAlerts),
    new QueryObserver(client, queries.userAlerts('u-1')),
  ]
  const stops = observers.map((observer) => observer.subscribe(() => {}))
  goLive(client, { missed: 3, recovered: true, isFirst: false })
  await expect.poll(() => request.mock.calls).toHaveLength(2)
  openedStreams.at(-1)?.onUpdate?.(anchored)
  openedStreams.at(-1)?.onAlert?.(addedAlert, false)
  respond()
  await expect.poll(() => client.isFetching()).toBe(0)
  await expect.poll(() => client.getQueryData(keys[0])).toEqual([addedAlert, anchored])
  expect(client.getQueryData(keys[1])).toEqual([
    { id: addedAlert.id, alert: addedAlert, isRead: false },
    { id: signedAlert.id, alert: anchored, isRead: true },
  ])
  for (const stop of stops) stop()
})

test('openAccountStream: remembers the id of an unlisted alert that was updated, until the alert itself arrives', () => {
  const client = createQueryClient()
  const [listedAlert, unlistedAlert] = [getAlert(5), getAlert(3)]
  client.setQueryData(keys[0], [listedAlert])
  goLive(client, first)
  openedStreams.at(-1)?.onUpdate?.(listedAlert)
  openedStreams.at(-1)?.onUpdate?.(unlistedAlert)
  expect([...unlistedUpdateIds]).toEqual([unlistedAlert.id])
  openedStreams.at(-1)?.onAlert?.(unlistedAlert, false)
  expect([...unlistedUpdateIds]).toEqual([])
})

test('openAccountStream: replaces only changed alerts in the lists when the stream becomes live for the first time', async () => {
  const client = createQueryClient()
  const [unchangedAlert, signedAlert, lockedAlert] = [getAlert(3), getAlert(2), { id: 'x', locked: true, logIndex: 1 }]
  const anchored = { ...signedAlert, avalancheTx: '0x01' }
  client.setQueryData(keys[0], [unchangedAlert, signedAlert])
  client.setQueryData(keys[1], [{ id: signedAlert.id, alert: signedAlert, isRead: true }])
  vi.stubGlobal('fetch', async () => Response.json([unchangedAlert, anchored, lockedAlert]))
  goLive(client, first)
  await expect.poll(() => client.getQueryData(keys[0])).toEqual([unchangedAlert, anchored])
  expect(client.getQueryData(keys[0])?.[0]).toBe(unchangedAlert)
  expect(client.getQueryData(keys[1])).toEqual([{ id: signedAlert.id, alert: anchored, isRead: true }])
  expect(keys.map((key) => client.getQueryState(key)?.isInvalidated)).toEqual([false, false])
})

test('openAccountStream: keeps an anchor that arrives while the newest alerts are being fetched', async () => {
  const client = createQueryClient()
  const [newestAlert, signedAlert] = [getAlert(3), getAlert(2)]
  const [anchoredNewest, anchored] = [newestAlert, signedAlert].map((alert) => ({ ...alert, avalancheTx: '0x01' }))
  client.setQueryData(keys[0], [newestAlert, signedAlert])
  let respond = (_response: Response) => {}
  const request = vi.fn(() => new Promise<Response>((resolve) => (respond = resolve)))
  vi.stubGlobal('fetch', request)
  goLive(client, first)
  await expect.poll(() => request.mock.calls).toHaveLength(1)
  if (anchoredNewest) openedStreams.at(-1)?.onUpdate?.(anchoredNewest)
  respond(Response.json([newestAlert, anchored]))
  await expect.poll(() => client.getQueryData(keys[0])?.[1]).toEqual(anchored)
  expect(client.getQueryData(keys[0])?.[0]).toEqual(anchoredNewest)
})

test('openAccountStream: invalidates only the newest alerts when fetching these alerts fails on the first connection', async () => {
  const client = createQueryClient()
  for (const key of keys) client.setQueryData(key, [])
  vi.stubGlobal('fetch', async () => Response.json({ message: 'Bad gateway' }, { status: 502 }))
  goLive(client, first)
  await expect.poll(() => keys.map((key) => client.getQueryState(key)?.isInvalidated)).toEqual([true, false])
})

test('openAccountStream: applies alerts received within a frame in order, as one update per list, before announcing them', () => {
  const [old, second, third] = [getAlert(1), getAlert(2), getAlert(3)]
  const anchored = { ...second, avalancheTx: '0x01' }
  const client = createClient(old)
  const announced: unknown[] = []
  openStream(client, (one) => void (one.kind === 'alert' && announced.push([one.alert.id, listedIds(client)])))
  const updates = countUpdates(client)
  receiveAlert(second)
  receiveAlert(third)
  receiveUpdate(anchored)
  expect([listedIds(client), announced]).toEqual([[old.id], []])
  drawFrame()
  expect(client.getQueryData(keys[0])).toEqual([third, anchored, old])
  expect(client.getQueryData(keys[1])).toEqual([
    { id: third.id, alert: third, isRead: false },
    { id: second.id, alert: anchored, isRead: false },
    { id: old.id, alert: old, isRead: true },
  ])
  expect(updates()).toEqual([1, 1])
  const listed = [third.id, second.id, old.id]
  expect(announced).toEqual([
    [second.id, listed],
    [third.id, listed],
  ])
})

test('openAccountStream: announces one verdict once when it arrives twice within a frame', () => {
  const createdAt = '2026-11-21T13:00:00.000Z'
  const outcome = { logIndex: 9, verdict: 'did-not', measured: '1', createdAt, messageHash: '0x' } as const
  const judged = getAlert(2, { outcome })
  const announce = vi.fn()
  openStream(createClient(getAlert(2)), announce)
  receiveUpdate(judged)
  receiveUpdate(judged)
  drawFrame()
  expect(announce.mock.calls).toEqual([[{ kind: 'outcome', alert: judged }]])
})

test('openAccountStream: lists and announces an alert once when the alert arrives twice within a frame', () => {
  const announce = vi.fn()
  const client = createClient(getAlert(1))
  openStream(client, announce)
  receiveAlert(getAlert(2))
  receiveAlert(getAlert(2))
  drawFrame()
  expect(announce.mock.calls).toEqual([[{ kind: 'alert', alert: getAlert(2) }]])
  expect(listedIds(client)).toEqual([getAlert(2).id, getAlert(1).id])
})

test.each<[string, (client: QueryClient) => unknown]>([
  ['another message arrives', () => receive({ type: 'reads_changed' })],
  ['the plan or the session ends', () => openedStreams.at(-1)?.onEnded?.()],
  ['the stream is closed', () => close()],
  ['a response arrives', (client) => client.fetchQuery({ queryKey: ['response'], queryFn: () => 1 })],
])('openAccountStream: applies waiting alerts once, before the next frame, when %s', async (_when, act) => {
  const client = createClient(getAlert(1))
  const announce = vi.fn()
  openStream(client, announce)
  const updates = countUpdates(client)
  receiveAlert(getAlert(2))
  const waited = drawFrame
  await act(client)
  expect(listedIds(client)).toEqual([getAlert(2).id, getAlert(1).id])
  expect(announce).toHaveBeenCalledOnce()
  waited()
  expect(updates()).toEqual([1, 1])
  expect(announce).toHaveBeenCalledOnce()
})

test('openAccountStream: inserts waiting alerts before removing the plan when the subscription expires', () => {
  const client = createClient(getAlert(1))
  const subscriptionKey = queries.activeSubscription('u-1').queryKey
  openStream(client)
  const changed: unknown[] = []
  client.getQueryCache().subscribe(({ type, query }) => {
    if (type === 'updated') changed.push(query.queryKey[0])
  })
  receiveAlert(getAlert(2))
  receive({ type: 'subscription_expired', message: 'Your subscription has ended' })
  expect(changed.slice(0, 2)).toEqual(keys.map(([path]) => path))
  expect(client.getQueryData(subscriptionKey)).toBe(null)
})

test('openAccountStream: opens the stream again after a wait when the server refuses it, until it is closed', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  openStream(createClient(getAlert(1)))
  receiveAlert(getAlert(2))
  const firstStream = openedStreams.at(-1)
  const countSince = () => openedStreams.length - 1 - openedStreams.indexOf(firstStream as StreamOptions)
  for (const count of [1, 2]) {
    openedStreams.at(-1)?.onRefused?.('Your subscription has ended')
    vi.advanceTimersByTime(9_999)
    expect(countSince()).toBe(count - 1)
    vi.advanceTimersByTime(1)
    expect(countSince()).toBe(count)
  }
  expect(openedStreams.at(-1)?.from).toEqual({ lastIndex: 2 })
  openedStreams.at(-1)?.onRefused?.('Your subscription has ended')
  close()
  vi.advanceTimersByTime(600_000)
  expect(countSince()).toBe(2)
})

test('openAccountStream: keeps the newest alerts and an update of an older alert when very many alerts arrive', () => {
  const client = createClient(getAlert(1))
  openStream(client)
  for (let index = 2; index <= 600; index++) receiveAlert(getAlert(index))
  drawFrame()
  receiveUpdate(getAlert(1, { avalancheTx: '0x01' }))
  drawFrame()
  const indexes = client.getQueryData(keys[0])?.map(({ logIndex }) => logIndex)
  expect(indexes).toEqual([...Array.from({ length: 500 }, (_, position) => 600 - position), 1])
})

test.each([
  ['an alert', receiveAlert],
  ['a verdict', receiveUpdate],
])('openAccountStream: does not announce %s again when it arrives after very many alerts', (_what, receiveAgain) => {
  const outcome = { logIndex: 9, verdict: 'void', measured: null, createdAt: '', messageHash: '0x' } as const
  const judged = getAlert(1, { outcome })
  const client = createQueryClient()
  client.setQueryData(keys[0], [judged])
  const announce = vi.fn()
  openStream(client, announce)
  for (let index = 2; index <= 600; index++) receiveAlert(getAlert(index))
  drawFrame()
  // The list is shortened before the next alert is inserted.
  receiveAlert(getAlert(601))
  drawFrame()
  expect(listedIds(client)).not.toContain(judged.id)
  announce.mockReset()
  receiveAgain(judged)
  drawFrame()
  expect(listedIds(client)).toContain(judged.id)
  expect(announce).not.toHaveBeenCalled()
})

test('openAccountStream: applies and announces each alert immediately when the tab is hidden', () => {
  const client = createClient(getAlert(1))
  const announce = vi.fn()
  openStream(client, announce)
  tab.hidden = true
  receiveAlert(getAlert(2))
  expect(listedIds(client)).toEqual([getAlert(2).id, getAlert(1).id])
  expect(announce.mock.calls).toEqual([[{ kind: 'alert', alert: getAlert(2) }]])
})
