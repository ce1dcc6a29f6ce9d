import { expect, test } from 'vitest'
import { cacheUntilNotified } from './cache-until-notified.ts'

function createTestBed() {
  let notify = () => {}
  let nowMs = 0
  let storedValue = 'old'
  let readCount = 0
  let release: (() => void) | null = null
  let isHeld = false
  const find = cacheUntilNotified(
    {
      notifications: {
        on(_topic, listener) {
          notify = () => listener('')
          return () => {}
        },
      },
      topic: 'settings',
      maxAgeMs: 5_000,
      nowMs: () => nowMs,
    },
    async () => {
      readCount += 1
      const value = storedValue
      if (isHeld) {
        await new Promise<void>((resolve) => {
          release = resolve
        })
      }
      return value
    },
  )
  return {
    find,
    reads: () => readCount,
    change(value: string) {
      storedValue = value
    },
    notify: () => notify(),
    pass(ms: number) {
      nowMs += ms
    },
    hold() {
      isHeld = true
    },
    release() {
      isHeld = false
      release?.()
    },
  }
}

test('cacheUntilNotified: caches the value until a notification of the topic arrives', async () => {
  const bed = createTestBed()
  expect([await bed.find(), await bed.find(), bed.reads()]).toEqual(['old', 'old', 1])
  bed.change('new')
  bed.notify()
  expect([await bed.find(), await bed.find(), bed.reads()]).toEqual(['new', 'new', 2])
})

test('cacheUntilNotified: reads again after its maximum age when a notification was lost', async () => {
  const bed = createTestBed()
  await bed.find()
  bed.change('new')
  bed.pass(4_999)
  expect(await bed.find()).toBe('old')
  bed.pass(1)
  expect(await bed.find()).toBe('new')
})

test('cacheUntilNotified: does not cache a value when a notification arrives during the read', async () => {
  const bed = createTestBed()
  bed.hold()
  const pendingRead = bed.find()
  bed.change('new')
  bed.notify()
  bed.release()
  expect(await pendingRead).toBe('old')
  expect(await bed.find()).toBe('new')
})

test('cacheUntilNotified: does not cache an error', async () => {
  let isBroken = true
  const find = cacheUntilNotified(
    { notifications: { on: () => () => {} }, topic: 'settings', maxAgeMs: 5_000 },
    async () => {
      if (isBroken) throw new Error('unavailable')
      return 'value'
    },
  )
  await expect(find()).rejects.toThrow('unavailable')
  isBroken = false
  expect(await find()).toBe('value')
})
