import type { Priority } from '@tocsin/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { playInOneTab, SoundLimiter } from './sound-gate.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it.each<[string, [atMs: number, Priority][], string[]]>([
  ['plays one sound', [[0, 'low']], ['0 low']],
  [
    'plays one sound for two simultaneous alerts',
    [
      [0, 'high'],
      [0, 'high'],
    ],
    ['0 high'],
  ],
  [
    'plays a higher priority after the interval',
    [
      [0, 'low'],
      [500, 'critical'],
      [900, 'medium'],
    ],
    ['0 low', '3000 critical'],
  ],
  [
    'drops a lower priority within the interval',
    [
      [0, 'critical'],
      [500, 'high'],
    ],
    ['0 critical'],
  ],
  [
    'plays the same priority again after the interval',
    [
      [0, 'low'],
      [3_000, 'low'],
    ],
    ['0 low', '3000 low'],
  ],
  ['limits a burst', Array.from({ length: 60 }, (_, index) => [index * 100, 'high']), ['0 high', '3000 high']],
])('SoundLimiter: %s', (_name, offeredSounds, expected) => {
  const startedAt = Date.now()
  const playedSounds: string[] = []
  const soundGate = new SoundLimiter((priority) => playedSounds.push(`${Date.now() - startedAt} ${priority}`))
  for (const [atMs, priority] of offeredSounds) {
    vi.advanceTimersByTime(atMs - (Date.now() - startedAt))
    soundGate.requestSound(priority)
  }
  vi.advanceTimersByTime(20_000)
  expect(playedSounds).toEqual(expected)
})

/** Locks that are either free or held, as with the option `ifAvailable`. */
function createLocks() {
  let isHeld = false
  return {
    async request(_name: string, _options: object, run: (lock: object | null) => Promise<void>): Promise<void> {
      if (isHeld) return run(null)
      isHeld = true
      await run({}).finally(() => {
        isHeld = false
      })
    },
  }
}

it('playInOneTab: plays in the first tab that can play sound when the browser blocks the sound of another tab', async () => {
  vi.stubGlobal('navigator', { locks: createLocks() })
  const playedTabs: string[] = []
  const openTab = (tab: string, canPlay: boolean) =>
    playInOneTab(
      async () => canPlay,
      async () => {
        // A tab whose sound is blocked plays nothing.
        if (canPlay) playedTabs.push(tab)
      },
    )
  for (const [tab, canPlay] of [
    ['blocked', false],
    ['first', true],
    ['second', true],
  ] as const)
    void openTab(tab, canPlay)
  await vi.advanceTimersByTimeAsync(0)
  expect(playedTabs).toEqual(['first'])
})
