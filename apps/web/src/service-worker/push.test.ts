import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { receivePush } from './push.ts'
import type { WindowClient, WorkerScope } from './worker-scope.ts'

type Listener = (event: object) => void

const origin = 'https://tocsin.example'
const message = { title: 'High, BTC', body: 'Volume', path: '/a/7', tag: 'alert-7', proofPath: '/verification?alert=7' }
const createSubscription = (endpoint: string) => ({
  endpoint,
  options: { applicationServerKey: new ArrayBuffer(65) },
  toJSON: () => ({ endpoint, keys: { p256dh: 'key', auth: 'auth' } }),
})

let listeners: Record<string, Listener>
let windows: WindowClient[]
let openWindowCount: number
const fetchMock = vi.fn(async (..._request: unknown[]) => new Response('{}'))
const badgeFunctions = { setAppBadge: vi.fn(async () => {}), clearAppBadge: vi.fn(async () => {}) }
const showNotification = vi.fn(async (..._shown: unknown[]) => {})
const openWindow = vi.fn(async (_path: string) => {})
const subscribe = vi.fn(async () => createSubscription('https://push/fresh'))

beforeEach(() => {
  vi.clearAllMocks()
  vi.stubGlobal('fetch', fetchMock)
  listeners = {}
  windows = []
  openWindowCount = 1
  const scope = {
    addEventListener: (type: string, listener: Listener) => {
      listeners[type] = listener
    },
    clients: { matchAll: async () => windows, openWindow },
    registration: {
      showNotification,
      getNotifications: async () => Array(openWindowCount),
      pushManager: { subscribe },
    },
    navigator: badgeFunctions,
    location: { origin },
  }
  receivePush(scope as unknown as WorkerScope)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function fireEvent(type: string, event: object): Promise<void> {
  let eventWork: Promise<unknown> = Promise.resolve()
  listeners[type]?.({ ...event, waitUntil: (eventPromise: Promise<unknown>) => (eventWork = eventPromise) })
  await eventWork
}

const addWindow = (path: string, focused = false, isLive = false) => {
  const postMessage = vi.fn((_message: unknown, transfer: MessagePort[] = []) => {
    if (isLive) for (const port of transfer) port.postMessage(true)
  })
  const page = { url: origin + path, focused, focus: vi.fn(async () => {}), postMessage }
  windows.push(page)
  return page
}

test('push: shows a notification and sets the badge, silently when a focused page has a live stream', async () => {
  openWindowCount = 3
  await fireEvent('push', { data: { json: () => message } })
  expect(showNotification).toHaveBeenCalledWith(
    message.title,
    expect.objectContaining({
      body: 'Volume',
      tag: 'alert-7',
      silent: false,
      data: { path: '/a/7', proofPath: '/verification?alert=7' },
      actions: [{ action: 'proof', title: 'Check proof' }],
    }),
  )
  expect(badgeFunctions.setAppBadge).toHaveBeenCalledWith(3)
  addWindow('/dashboard', true, true)
  await fireEvent('push', { data: { json: () => message } })
  expect(showNotification.mock.calls[1]?.[1]).toMatchObject({ silent: true })
})

test('push: shows a notification with sound when the focused page has no live stream', async () => {
  vi.useFakeTimers()
  addWindow('/dashboard', false, true)
  addWindow('/documentation', true)
  const work = fireEvent('push', { data: { json: () => message } })
  await vi.runAllTimersAsync()
  await work
  expect(showNotification.mock.lastCall?.[1]).toMatchObject({ silent: false })
})

test('push: shows a generic notification when the message is unreadable, because browsers require one', async () => {
  const throwSyntaxError = () => {
    throw new SyntaxError('No JSON')
  }
  for (const data of [null, { json: throwSyntaxError }, { json: () => null }, { json: () => ({ title: 1 }) }]) {
    await fireEvent('push', { data })
    expect(showNotification.mock.lastCall).toMatchObject(['Tocsin', { body: 'There is a new alert.' }])
  }
})

test('push: forwards a confirmation code to the open pages', async () => {
  const page = addWindow('/settings/channels')
  await fireEvent('push', { data: { json: () => ({ ...message, code: 'K7QX2M9A' }) } })
  expect(page.postMessage).toHaveBeenCalledWith({ type: 'push-code', code: 'K7QX2M9A' })
})

test.each([
  ['/a/7', '/a/7'],
  ['https://evil.example/a/7', '/'],
  [undefined, '/'],
])('notificationclick: for the path %s, opens %s of this site', async (path, expected) => {
  openWindowCount = 0
  const close = vi.fn()
  await fireEvent('notificationclick', { notification: { data: { path }, close } })
  expect(openWindow).toHaveBeenCalledWith(expected)
  expect([close, badgeFunctions.clearAppBadge].map((mock) => mock.mock.calls.length)).toEqual([1, 1])
})

test('notificationclick: the button “Check proof” opens the proof, even if a page verifies another alert', async () => {
  const other = addWindow('/verification?alert=6')
  const notification = { data: { path: '/a/7', proofPath: '/verification?alert=7' }, close: () => {} }
  await fireEvent('notificationclick', { notification, action: 'proof' })
  expect(openWindow).toHaveBeenCalledWith('/verification?alert=7')
  expect(other.focus).not.toHaveBeenCalled()
})

test('notificationclick: focuses the page that already shows the alert', async () => {
  const page = addWindow('/a/7')
  await fireEvent('notificationclick', { notification: { data: { path: '/a/7' }, close: () => {} } })
  expect(page.focus).toHaveBeenCalled()
  expect(openWindow).not.toHaveBeenCalled()
})

test.each([
  ['the browser provides a new subscription', createSubscription('https://push/new'), 'https://push/new'],
  ['the service worker has to subscribe again', undefined, 'https://push/fresh'],
])('pushsubscriptionchange: notifies the server when %s', async (_name, newSubscription, expected) => {
  await fireEvent('pushsubscriptionchange', {
    oldSubscription: createSubscription('https://push/old'),
    newSubscription,
  })
  const [path, request] = fetchMock.mock.lastCall ?? []
  const { method, body } = request as { method: string; body: string }
  expect([path, method]).toEqual(['/api/channels/push-subscription', 'PUT'])
  expect(JSON.parse(body)).toEqual({
    previousEndpoint: 'https://push/old',
    subscription: { endpoint: expected, p256dh: 'key', auth: 'auth' },
  })
})

test('pushsubscriptionchange: sends no request when the event does not name the old subscription', async () => {
  await fireEvent('pushsubscriptionchange', {})
  expect(fetchMock).not.toHaveBeenCalled()
})
