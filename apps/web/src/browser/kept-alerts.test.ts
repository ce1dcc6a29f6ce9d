import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { clearKept, confirmKept, openKept, readKept, writeKept } from './kept-alerts.ts'

/** Cache storage in memory, with the methods that are used. */
function fakeCaches() {
  const stored = new Map<string, Map<string, string>>()
  const storage = {
    has: async (name: string) => stored.has(name),
    delete: async (name: string) => stored.delete(name),
    open: async (name: string) => {
      const cache = stored.get(name) ?? new Map<string, string>()
      stored.set(name, cache)
      return {
        put: async (key: string, response: Response) => void cache.set(key, await response.text()),
        match: async (key: string) => (cache.has(key) ? new Response(cache.get(key)) : undefined),
      }
    },
  }
  return { stored, storage }
}

let fake: ReturnType<typeof fakeCaches>
beforeEach(() => {
  fake = fakeCaches()
  vi.stubGlobal('caches', fake.storage)
})
afterEach(async () => {
  await clearKept()
  vi.unstubAllGlobals()
})

const now = () => Date.now()

test('keptAlerts: nothing is left after the session ends, even by a write that began before', async () => {
  openKept('anna')
  const late = writeKept('anna', ['secret'], now())
  const cleared = clearKept()
  await writeKept('anna', ['secret'], now())
  await Promise.all([late, cleared])
  expect(await readKept()).toBeNull()
  expect(fake.stored.size).toBe(0)
})

test('keptAlerts: another account neither finds nor replaces them', async () => {
  openKept('anna')
  await writeKept('anna', ['secret'], now())
  openKept('ben')
  await writeKept('anna', ['secret'], now())
  expect(await readKept()).toBeNull()
  expect(JSON.stringify([...fake.stored.values()].map((cache) => [...cache]))).not.toContain('secret')
})

test('keptAlerts: are not shown after the longest session, and not without storage', async () => {
  openKept('anna')
  await writeKept('anna', ['old'], now() - 31 * 24 * 3_600_000)
  expect(await readKept()).toBeNull()
  vi.stubGlobal('caches', { has: () => Promise.reject(new DOMException('denied', 'SecurityError')) })
  await writeKept('anna', ['new'], now())
  expect(await readKept()).toBeNull()
})

test('keptAlerts: are those of the account, as of the last answer of the server', async () => {
  openKept('anna')
  await confirmKept('anna', 1)
  expect(fake.stored.size, 'without alerts there is nothing to confirm').toBe(0)
  const asOfMs = now()
  await writeKept('anna', ['first'], asOfMs - 60_000)
  await confirmKept('anna', asOfMs)
  await confirmKept('ben', asOfMs + 1)
  expect(await readKept()).toEqual({ userId: 'anna', alerts: ['first'], asOfMs })
})
