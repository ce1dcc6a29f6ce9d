import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fakeCaches } from '../../test/support/fake-caches.ts'
import {
  clearOfflineAlerts,
  confirmOfflineAlerts,
  openOfflineAlerts,
  readOfflineAlerts,
  writeOfflineAlerts,
} from './offline-alerts.ts'

/** A fake document with cookies. */
function fakeDocument() {
  const cookies = new Map<string, string>()
  return {
    /**
     * `max-age` of the last cookie in seconds. Undefined if the cookie lasts until the browser is
     * closed.
     */
    maxAge: undefined as string | undefined,
    get cookie() {
      return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    },
    set cookie(text: string) {
      const [name = '', value = ''] = text.split(';')[0]?.split('=') ?? []
      this.maxAge = /max-age=(\d+)/.exec(text)?.[1]
      if (this.maxAge === '0') cookies.delete(name)
      else cookies.set(name, value)
    },
  }
}

let fake: ReturnType<typeof fakeCaches>
let page: ReturnType<typeof fakeDocument>
beforeEach(() => {
  fake = fakeCaches()
  page = fakeDocument()
  vi.stubGlobal('caches', fake.storage)
  vi.stubGlobal('document', page)
  vi.stubGlobal('location', { protocol: 'https:' })
})
afterEach(async () => {
  await clearOfflineAlerts()
  vi.unstubAllGlobals()
})

const now = () => Date.now()
const storedText = () => JSON.stringify([...fake.stored.values()].map((cache) => [...cache]))

test('offline alerts: are deleted when the session ends, even if a write began before', async () => {
  openOfflineAlerts('anna', true)
  const late = writeOfflineAlerts('anna', ['secret'], now())
  const cleared = clearOfflineAlerts()
  await writeOfflineAlerts('anna', ['secret'], now())
  await Promise.all([late, cleared])
  expect(await readOfflineAlerts()).toBeNull()
  expect(fake.stored.size).toBe(0)
})

test('offline alerts: are not stored when another tab ends the session during the write', async () => {
  openOfflineAlerts('anna', true)
  const { open } = fake.storage
  fake.storage.open = async (name) => {
    // The other tab deletes the cache before the write of this tab.
    fake.stored.delete(name)
    page.cookie = 'kept-alerts=; max-age=0'
    return open(name)
  }
  await writeOfflineAlerts('anna', ['secret'], now())
  expect(fake.stored.size).toBe(0)
})

test('offline alerts: cannot be read or replaced by another account', async () => {
  openOfflineAlerts('anna', true)
  await writeOfflineAlerts('anna', ['secret'], now())
  openOfflineAlerts('ben', true)
  await writeOfflineAlerts('anna', ['secret'], now())
  expect(await readOfflineAlerts()).toBeNull()
  expect(storedText()).not.toContain('secret')
})

test('offline alerts: are not shown after the browser was closed when the session lasts only until then', async () => {
  openOfflineAlerts('anna', true)
  expect(page.maxAge).toBe(String(30 * 24 * 3600))
  openOfflineAlerts('anna', false)
  expect(page.maxAge).toBeUndefined()
  await writeOfflineAlerts('anna', ['secret'], now())
  expect(await readOfflineAlerts()).not.toBeNull()
  vi.stubGlobal('document', fakeDocument())
  expect(await readOfflineAlerts()).toBeNull()
})

test('offline alerts: are not shown when they are older than the longest session or storage is blocked', async () => {
  openOfflineAlerts('anna', true)
  await writeOfflineAlerts('anna', ['old'], now() - 31 * 24 * 3_600_000)
  expect(await readOfflineAlerts()).toBeNull()
  vi.stubGlobal('caches', { has: () => Promise.reject(new DOMException('denied', 'SecurityError')) })
  await writeOfflineAlerts('anna', ['new'], now())
  expect(await readOfflineAlerts()).toBeNull()
})

test('offline alerts: name their account and the time of the last response of the server', async () => {
  openOfflineAlerts('anna', true)
  await confirmOfflineAlerts('anna', 1)
  expect(fake.stored.size, 'without alerts there is nothing to confirm').toBe(0)
  const asOfMs = now()
  await writeOfflineAlerts('anna', ['first'], asOfMs - 60_000)
  await confirmOfflineAlerts('anna', asOfMs)
  await confirmOfflineAlerts('ben', asOfMs + 1)
  expect(await readOfflineAlerts()).toEqual({ userId: 'anna', alerts: ['first'], asOfMs })
})
