import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPlaces, MAIL_SERVER, type Places } from './places.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const createBed = () => createPlaces(() => {})

/** Starts as many requests as possible, each to a different destination. */
async function beginAll(places: Places, name: string, most: number, host?: string) {
  const asked = Array.from({ length: most }, (_, at) =>
    places.occupy(`${name} ${at}`, { id: `${name} ${at}`, host: host ?? `${name}-${at}.example` }),
  )
  const held = asked.filter((place) => place !== null)
  const begun = held.map(async (place) => ({ place, hasBegun: await place.begin() }))
  // Advances the timers by more than the time for which requests wait.
  await vi.advanceTimersByTimeAsync(300)
  const ended = await Promise.all(begun)
  for (const { place, hasBegun } of ended) if (!hasBegun) place.release()
  return ended.flatMap(({ place, hasBegun }) => (hasBegun ? [place] : []))
}

test('places: two requests run at once to one destination', () => {
  const places = createBed()
  const to = { id: 'a', host: 'a.example' }
  const [first, second] = [places.occupy(1, to), places.occupy(2, to)]
  expect([first, second]).not.toContain(null)
  expect(places.occupy(3, to)).toBeNull()
  expect(places.busy()).toMatchObject({ keys: [1, 2], destinations: new Map([['a', 'a.example']]) })
  first?.answered()
  expect(places.busy()).toMatchObject({ keys: [1, 2], destinations: new Map() })
  expect(places.occupy(1, to), 'a result that is not recorded yet').toBeNull()
  first?.release()
  expect(places.occupy(1, to)).not.toBeNull()
})

test('places: 64 requests run at once to one host that hangs, and other hosts have places left', async () => {
  const places = createBed()
  expect(await beginAll(places, 'hangs', 200, 'hangs.example')).toHaveLength(64)
  expect(places.busy().hosts).toEqual(['hangs.example'])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(places.occupy('late', { id: 'late', host: 'hangs.example' })).toBeNull()
  expect(places.countFree()).toBe(64)
  expect(await beginAll(places, 'other', 10)).toHaveLength(10)
})

test('places: slow requests release their places for others, at most 512 of them', async () => {
  const places = createBed()
  const begun = await beginAll(places, 'quick', 60)
  expect(begun).toHaveLength(60)
  for (let round = 0; round < 10; round += 1) begun.push(...(await beginAll(places, `slow ${round}`, 60)))
  expect(begun).toHaveLength(512 + 60)
  const next = places.occupy('next', { id: 'next', host: 'next.example' })
  const isBegun = next?.begin()
  begun[0]?.answered()
  expect(await isBegun).toBe(true)
})

test('places: a request that waits for longer than 250 ms gives up, and the next one does not have to wait', async () => {
  const places = createBed()
  const first = await beginAll(places, 'hangs', 64, 'hangs.example')
  const late = places.occupy('late', { id: 'late', host: 'other.example' })
  expect(await late?.begin()).toBe(true)
  first[0]?.release()
  const [next, last] = ['next', 'last'].map((id) => places.occupy(id, { id, host: 'hangs.example' }))
  expect(await next?.begin()).toBe(true)
  expect(last).not.toBeUndefined()
  const waits = last?.begin()
  await vi.advanceTimersByTimeAsync(249)
  expect(await Promise.race([waits, 'waits'])).toBe('waits')
  await vi.advanceTimersByTimeAsync(1)
  expect(await waits).toBe(false)
})

test('places: 8 mails are with the mail server at once, also when it is slow', async () => {
  const places = createBed()
  const begun = await beginAll(places, 'mail', 60, MAIL_SERVER)
  expect(begun).toHaveLength(8)
  expect(places.isHostFull(MAIL_SERVER)).toBe(true)
  expect(await beginAll(places, 'other', 64)).toHaveLength(64)
  begun[0]?.answered()
  expect(places.isHostFull(MAIL_SERVER)).toBe(false)
})

test('places: nothing is started while 512 results are not recorded', () => {
  const places = createBed()
  for (let at = 0; at < 511; at += 1) places.occupy(at, { id: `${at}`, host: `${at}` })?.answered()
  expect(places.countFree()).toBe(64)
  const last = places.occupy('last', { id: 'last', host: 'last' })
  last?.answered()
  expect(places.countFree()).toBe(0)
  last?.release()
  expect(places.countFree()).toBe(64)
})
