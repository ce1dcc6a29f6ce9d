import { afterEach, expect, test, vi } from 'vitest'
import { untilIdle } from './lazy-load.tsx'

afterEach(() => vi.unstubAllGlobals())

test('untilIdle: resolves each caller in a separate idle callback', async () => {
  const requested: (() => void)[] = []
  const requestIdleCallback = (callback: () => void) => requested.push(callback)
  vi.stubGlobal('window', { requestIdleCallback })
  vi.stubGlobal('requestIdleCallback', requestIdleCallback)
  const done: string[] = []
  const first = untilIdle().then(() => done.push('first'))
  const second = untilIdle().then(() => done.push('second'))
  await expect.poll(() => requested.length).toBe(1)
  requested[0]?.()
  await first
  await expect.poll(() => requested.length).toBe(2)
  expect(done).toEqual(['first'])
  requested[1]?.()
  await second
  expect(done).toEqual(['first', 'second'])
})
