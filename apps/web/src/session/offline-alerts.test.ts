import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fakeCaches } from '../../test/support/fake-caches.ts'
import {
  clearOfflineAlerts,
  confirmOfflineAlerts,
  readOfflineAlerts,
  setOfflineAlertsOwner,
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

let fakeCache: ReturnType<typeof fakeCaches>
let page: ReturnType<typeof fakeDocument>
beforeEach(() => {
  fakeCache = fakeCaches()
  page = fakeDocument()
  vi.stubGlobal('caches', fakeCache.storage)
  vi.stubGlobal('document', page)
  vi.stubGlobal('location', { protocol: 'https:' })
})
afterEach(async () => {
  await clearOfflineAlerts()
  vi.unstubAllGlobals()
})

const readNowMs = () => Date.now()
const readStoredText = () => JSON.stringify([...fakeCache.stored.values()].map((cache) => [...cache]))

test('offline alerts: are deleted when the session ends, even if a write is still running', async () => {
  setOfflineAlertsOwner('anna', true)
  const lateWrite = writeOfflineAlerts('anna', ['secret'], readNowMs())
  const clearing = clearOfflineAlerts()
  await writeOfflineAlerts('anna', ['secret'], readNowMs())
  await Promise.all([lateWrite, clearing])
  expect(await readOfflineAlerts()).toBeNull()
  expect(fakeCache.stored.size).toBe(0)
})

test('offline alerts: are not stored when another tab ends the session during the write', async () => {
  setOfflineAlertsOwner('anna', true)
  const { open } = fakeCache.storage
  fakeCache.storage.open = async (name) => {
    // The other tab deletes the cache before the write of this tab.
    fakeCache.stored.delete(name)
    page.cookie = 'kept-alerts=; max-age=0'
    return open(name)
  }
  await writeOfflineAlerts('anna', ['secret'], readNowMs())
  expect(fakeCache.stored.size).toBe(0)
})

test('offline alerts: cannot be read or replaced by another account', async () => {
  setOfflineAlertsOwner('anna', true)
  await writeOfflineAlerts('anna', ['secret'], readNowMs())
  setOfflineAlertsOwner('ben', true)
  await writeOfflineAlerts('anna', ['secret'], readNowMs())
  expect(await readOfflineAlerts()).toBeNull()
  expect(readStoredText()).not.toContain('secret')
})

test('offline alerts: are not shown after a restart of the browser when the session is not remembered', async () => {
  setOfflineAlertsOwner('anna', true)
  expect(page.maxAge).toBe(String(30 * 24 * 3600))
  setOfflineAlertsOwner('anna', false)
  expect(page.maxAge).toBeUndefined()
  await writeOfflineAlerts('anna', ['secret'], readNowMs())
  expect(await readOfflineAlerts()).not.toBeNull()
  vi.stubGlobal('document', fakeDocument())
  expect(await readOfflineAlerts()).toBeNull()
})

test('offline alerts: are not shown when they are older than the longest session or storage is blocked', async () => {
  setOfflineAlertsOwner('anna', true)
  await writeOfflineAlerts('anna', ['old'], readNowMs() - 31 * 24 * 3_600_000)
  expect(await readOfflineAlerts()).toBeNull()
  vi.stubGlobal('caches', { has: () => Promise.reject(new DOMException('denied', 'SecurityError')) })
  await writeOfflineAlerts('anna', ['new'], readNowMs())
  expect(await readOfflineAlerts()).toBeNull()
})

test('offline alerts: include the account id and the time of the last server response for this account', async () => {
  setOfflineAlertsOwner('anna', true)
  await confirmOfflineAlerts('anna', 1)
  expect(fakeCache.stored.size, 'without alerts there is nothing to confirm').toBe(0)
  const asOfMs = readNowMs()
  await writeOfflineAlerts('anna', ['first'], asOfMs - 60_000)
  await confirmOfflineAlerts('anna', asOfMs)
  await confirmOfflineAlerts('ben', asOfMs + 1)
  expect(await readOfflineAlerts()).toEqual({ userId: 'anna', alerts: ['first'], asOfMs })
})
