import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import * as api from '../../api/api.ts'
import { ApiError } from '../../api/api.ts'
import { readStoredValue } from '../../browser/stored-json.ts'
import {
  closePushes,
  createDeviceName,
  findOwnDestinationId,
  getPushSupport,
  rememberDevice,
  renewDevice,
} from './push-device.ts'

const KEY = 'BCVxsr7N'
const createSubscription = (endpoint: string, p256dh = 'key-1') =>
  ({
    endpoint,
    toJSON: () => ({ endpoint, keys: { p256dh, auth: 'auth-1' } }),
    unsubscribe: vi.fn(async () => true),
  }) as unknown as PushSubscription

let current: PushSubscription | null
const subscribe = vi.fn(async () => createSubscription('https://push/new'))
const calls = vi.spyOn(api, 'call')

beforeEach(() => {
  current = createSubscription('https://push/1')
  vi.stubGlobal('Notification', { permission: 'granted' })
  vi.stubGlobal('PushManager', class {})
  const pushManager = { getSubscription: async () => current, subscribe }
  vi.stubGlobal('navigator', {
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140 Safari/537.36',
    maxTouchPoints: 0,
    serviceWorker: { ready: Promise.resolve({ pushManager }), getRegistration: async () => ({ pushManager }) },
  })
  rememberDevice({ accountId: 'ada', destinationId: 'd1' }, createSubscription('https://push/1'), KEY)
  calls.mockReset().mockResolvedValue({ success: true, message: '' } as never)
  subscribe.mockClear()
})
afterEach(() => vi.unstubAllGlobals())

const createNotFoundError = () =>
  new ApiError(404, JSON.stringify({ success: false, code: 'not_found', message: 'No', requestId: 'x' }), 'Not Found')
const listRequestBodies = () =>
  calls.mock.calls.map(([, request]) => (request as { body?: { previousEndpoint: string } })?.body)
const readStoredDevice = () => readStoredValue('push-device')

test('renewDevice: does nothing if nothing has changed or the stored device belongs to another account', async () => {
  await renewDevice('ada', KEY)
  current = null
  await renewDevice('eve', KEY)
  expect(calls).not.toHaveBeenCalled()
  expect([findOwnDestinationId('ada'), findOwnDestinationId('eve')]).toEqual(['d1', null])
})

test('renewDevice: notifies the server if the browser has another endpoint or key', async () => {
  for (const next of [createSubscription('https://push/2'), createSubscription('https://push/2', 'key-2')]) {
    current = next
    await renewDevice('ada', KEY)
  }
  expect(listRequestBodies().map((body) => body?.previousEndpoint)).toEqual(['https://push/1', 'https://push/2'])
  expect(subscribe).not.toHaveBeenCalled()
  expect(readStoredDevice()).toMatchObject({ endpoint: 'https://push/2', p256dh: 'key-2', destinationId: 'd1' })
})

test.each([
  ['the browser has lost the subscription', () => (current = null), KEY],
  ['the server has another key', () => {}, 'BCVxsr7O'],
])('renewDevice: subscribes again if %s', async (_name, prepareState, serverKey) => {
  prepareState()
  await renewDevice('ada', serverKey)
  expect(subscribe).toHaveBeenCalledOnce()
  expect(readStoredDevice()).toMatchObject({ endpoint: 'https://push/new', serverKey })
})

test('renewDevice: when forced, asks for the permission, and subscribes again or throws if it is denied', async () => {
  const notification = { permission: 'default', requestPermission: async () => (notification.permission = 'denied') }
  vi.stubGlobal('Notification', notification)
  await expect(renewDevice('ada', KEY, true)).rejects.toThrow('This browser does not allow notifications')
  expect(subscribe).not.toHaveBeenCalled()
  notification.requestPermission = async () => (notification.permission = 'granted')
  await renewDevice('ada', KEY, true)
  expect(readStoredDevice()).toMatchObject({ endpoint: 'https://push/new' })
})

test('renewDevice: stores the new endpoint if the service worker has already renewed the subscription', async () => {
  current = createSubscription('https://push/2')
  calls.mockRejectedValueOnce(createNotFoundError())
  await renewDevice('ada', KEY)
  expect(listRequestBodies().map((body) => body?.previousEndpoint)).toEqual(['https://push/1', 'https://push/2'])
  expect(readStoredDevice()).toMatchObject({ endpoint: 'https://push/2' })
})

test('renewDevice: unsubscribes the browser if the destination was deleted', async () => {
  current = createSubscription('https://push/2')
  calls.mockRejectedValue(createNotFoundError())
  await renewDevice('ada', KEY)
  expect(readStoredDevice()).toBeNull()
  expect(current.unsubscribe).toHaveBeenCalled()
})

test('renewDevice: keeps the stored subscription if the server cannot be reached', async () => {
  current = createSubscription('https://push/2')
  calls.mockRejectedValue(new TypeError('Failed to fetch'))
  await expect(renewDevice('ada', KEY)).rejects.toThrow()
  expect(readStoredDevice()).toMatchObject({ endpoint: 'https://push/1' })
})

test('getPushSupport: detects a blocked permission, an iPhone without the installed app, and missing web push', () => {
  expect(getPushSupport()).toBe('ready')
  vi.stubGlobal('Notification', { permission: 'denied' })
  expect(getPushSupport()).toBe('denied')
  vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)', maxTouchPoints: 5 })
  expect(getPushSupport()).toBe('install')
  vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X)', maxTouchPoints: 5 })
  expect(getPushSupport()).toBe('install')
  vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)', maxTouchPoints: 0 })
  expect(getPushSupport()).toBe('unsupported')
})

test.each([
  ['Mozilla/5.0 (Linux; Android 16; Pixel 9) Chrome/140 Mobile Safari/537.36', 'Chrome on Android'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1', 'Safari on iPhone'],
  ['Mozilla/5.0 (Windows NT 10.0) Chrome/140 Safari/537.36 Edg/140', 'Edge on Windows'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  ['', 'Browser'],
])('createDeviceName: for the user agent "%s", returns "%s"', (userAgent, name) => {
  expect(createDeviceName(userAgent)).toBe(name)
})

test('closePushes: closes notifications of acknowledged alerts, and reads acknowledgements only if a notification is shown', async () => {
  const createMessage = (path?: string) => ({ data: path === undefined ? null : { path }, close: vi.fn() })
  const [acknowledged, otherMessage, withoutPath] = [createMessage('/a/7'), createMessage('/a/70'), createMessage()]
  const shownMessages = [acknowledged, otherMessage, withoutPath]
  vi.stubGlobal('navigator', {
    serviceWorker: { getRegistration: async () => ({ getNotifications: async () => shownMessages }) },
  })
  const read = vi.fn(async () => [{ logIndex: 7 }])
  await closePushes(read)
  expect(shownMessages.map(({ close }) => close.mock.calls.length)).toEqual([1, 0, 0])
  shownMessages.length = 0
  await closePushes(read)
  expect(read).toHaveBeenCalledTimes(1)
})
