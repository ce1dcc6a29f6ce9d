import { expect, test } from 'vitest'
import { createPlaces, type Places } from './places.ts'

function createBed() {
  let nowMs = 0
  const places = createPlaces(
    () => {},
    () => nowMs,
  )
  const wait = (ms: number) => {
    nowMs += ms
  }
  return { places, wait }
}

/** Occupies as many places as possible, each with another destination on another host. */
function fill(places: Places, name: string) {
  const held = []
  for (let at = 0; places.countFree() > 0; at += 1) {
    held.push(places.occupy(`${name} ${at}`, { id: `${name} ${at}`, host: `${name}-${at}.example` }))
  }
  return held
}

test('places: two requests run at once to one destination', () => {
  const { places } = createBed()
  const to = { id: 'a', host: 'a.example' }
  const [first, second] = [places.occupy(1, to), places.occupy(2, to)]
  expect([first, second]).not.toContain(null)
  expect(places.occupy(3, to)).toBeNull()
  expect(places.busy()).toMatchObject({ keys: [1, 2], destinations: ['a'] })
  first?.answered()
  expect(places.busy()).toMatchObject({ keys: [1, 2], destinations: [] })
  expect(places.occupy(1, to), 'a result that is not recorded yet').toBeNull()
  first?.release()
  expect(places.occupy(1, to)).not.toBeNull()
})

test('places: 32 requests run at once to one host, and other hosts have places left', () => {
  const { places, wait } = createBed()
  const results = Array.from({ length: 100 }, (_, at) => places.occupy(at, { id: `${at}`, host: 'hangs.example' }))
  expect(results.filter((place) => place !== null)).toHaveLength(32)
  expect(places.busy().hosts).toEqual(['hangs.example'])
  wait(60_000)
  expect(places.occupy('late', { id: 'late', host: 'hangs.example' })).toBeNull()
  expect(places.countFree()).toBe(64)
})

test('places: 64 requests run at once, and slow ones make room for up to 512 more', () => {
  const { places, wait } = createBed()
  const quick = fill(places, 'quick')
  expect(quick).toHaveLength(64)
  wait(99)
  expect(places.countFree()).toBe(0)
  wait(1)
  let slow = 0
  for (let round = 0; places.countFree() > 0; round += 1) {
    slow += fill(places, `slow ${round}`).length
    wait(100)
  }
  expect(64 + slow).toBe(64 + 512)
})

test('places: nothing is started while 512 results are not recorded', () => {
  const { places } = createBed()
  for (let at = 0; at < 511; at += 1) places.occupy(at, { id: `${at}`, host: `${at}` })?.answered()
  expect(places.countFree()).toBe(64)
  const last = places.occupy('last', { id: 'last', host: 'last' })
  last?.answered()
  expect(places.countFree()).toBe(0)
  last?.release()
  expect(places.countFree()).toBe(64)
})
