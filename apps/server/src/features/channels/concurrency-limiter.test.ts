import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ConcurrencyLimiter, createConcurrencyLimiter, MAIL_SERVER } from './concurrency-limiter.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const createLimiter = () => createConcurrencyLimiter(() => {})

/** Starts at most `most` requests, each to a different destination. Returns their slots. */
async function beginAll(limiter: ConcurrencyLimiter, name: string, most: number, host?: string) {
  const slots = Array.from({ length: most }, (_, index) =>
    limiter.acquire(`${name} ${index}`, { id: `${name} ${index}`, host: host ?? `${name}-${index}.example` }),
  )
  const acquiredSlots = slots.filter((slot) => slot !== null)
  const pendingStarts = acquiredSlots.map(async (slot) => ({ slot, hasBegun: await slot.begin() }))
  // Longer than LONGEST_WAIT_MS, so that requests that got no slot time out.
  await vi.advanceTimersByTimeAsync(300)
  const startedSlots = await Promise.all(pendingStarts)
  for (const { slot, hasBegun } of startedSlots) if (!hasBegun) slot.release()
  return startedSlots.flatMap(({ slot, hasBegun }) => (hasBegun ? [slot] : []))
}

test('limiter: runs at most two concurrent requests to one destination', () => {
  const limiter = createLimiter()
  const to = { id: 'a', host: 'a.example' }
  const [first, second] = [limiter.acquire(1, to), limiter.acquire(2, to)]
  expect([first, second]).not.toContain(null)
  expect(limiter.acquire(3, to)).toBeNull()
  expect(limiter.busy()).toMatchObject({ keys: [1, 2], destinations: new Map([['a', 'a.example']]) })
  first?.markAnswered()
  expect(limiter.busy()).toMatchObject({ keys: [1, 2], destinations: new Map() })
  expect(limiter.acquire(1, to), 'a result that is not recorded yet').toBeNull()
  first?.release()
  expect(limiter.acquire(1, to)).not.toBeNull()
})

test('limiter: runs at most 64 concurrent requests to a host that hangs, and other hosts have slots left', async () => {
  const limiter = createLimiter()
  expect(await beginAll(limiter, 'hangs', 200, 'hangs.example')).toHaveLength(64)
  expect(limiter.busy().hosts).toEqual(['hangs.example'])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(limiter.acquire('late', { id: 'late', host: 'hangs.example' })).toBeNull()
  expect(limiter.countFree()).toBe(64)
  expect(await beginAll(limiter, 'other', 10)).toHaveLength(10)
})

test('limiter: a host that hangs uses at most 64 slots even when the timers of its requests fire early', async () => {
  vi.spyOn(performance, 'now').mockReturnValue(0)
  const limiter = createLimiter()
  expect(await beginAll(limiter, 'hangs', 200, 'hangs.example')).toHaveLength(64)
  expect(limiter.busy().hosts).toEqual(['hangs.example'])
})

test('limiter: up to 512 slow requests release their slots for other requests', async () => {
  const limiter = createLimiter()
  const runningSlots = await beginAll(limiter, 'quick', 60)
  expect(runningSlots).toHaveLength(60)
  for (let round = 0; round < 10; round += 1) runningSlots.push(...(await beginAll(limiter, `slow ${round}`, 60)))
  expect(runningSlots).toHaveLength(512 + 60)
  const next = limiter.acquire('next', { id: 'next', host: 'next.example' })
  const isBegun = next?.begin()
  runningSlots[0]?.markAnswered()
  expect(await isBegun).toBe(true)
})

test('limiter: a request gives up after waiting 250 ms for a slot, and does not wait when a slot is free', async () => {
  const limiter = createLimiter()
  const first = await beginAll(limiter, 'hangs', 64, 'hangs.example')
  const lateSlot = limiter.acquire('late', { id: 'late', host: 'other.example' })
  expect(await lateSlot?.begin()).toBe(true)
  first[0]?.release()
  const [next, last] = ['next', 'last'].map((id) => limiter.acquire(id, { id, host: 'hangs.example' }))
  expect(await next?.begin()).toBe(true)
  expect(last).not.toBeUndefined()
  const pendingStart = last?.begin()
  await vi.advanceTimersByTimeAsync(249)
  expect(await Promise.race([pendingStart, 'waits'])).toBe('waits')
  await vi.advanceTimersByTimeAsync(1)
  expect(await pendingStart).toBe(false)
})

test('limiter: sends at most 8 emails concurrently to the mail server, even when it is slow', async () => {
  const limiter = createLimiter()
  const runningSlots = await beginAll(limiter, 'mail', 60, MAIL_SERVER)
  expect(runningSlots).toHaveLength(8)
  expect(limiter.isHostFull(MAIL_SERVER)).toBe(true)
  expect(await beginAll(limiter, 'other', 64)).toHaveLength(64)
  runningSlots[0]?.markAnswered()
  expect(limiter.isHostFull(MAIL_SERVER)).toBe(false)
})

test('limiter: starts no request while 512 results are not recorded, and reports once when fewer are left', () => {
  const reportedCounts: number[] = []
  const limiter: ConcurrencyLimiter = createConcurrencyLimiter(() => void reportedCounts.push(limiter.countFree()))
  const slots = Array.from({ length: 512 }, (_, index) => {
    const slot = limiter.acquire(index, { id: `${index}`, host: `${index}` })
    slot?.markAnswered()
    return slot
  })
  expect(reportedCounts).toEqual([...Array(511).fill(64), 0])
  for (const slot of slots) slot?.release()
  expect(reportedCounts.slice(512)).toEqual([64])
})
