import { expect, test } from 'vitest'
import { RateLimitStore } from './rate-limit-store.ts'

const MINUTE_MS = 60_000

function setUp() {
  const clock = { nowMs: 0 }
  const store = new RateLimitStore(undefined, () => clock.nowMs)
  const count = (key: string, from = store) => {
    const answers: unknown[] = []
    from.incr(key, (_error, result) => answers.push(result), MINUTE_MS)
    return answers[0]
  }
  return { store, count, clock }
}

test('RateLimitStore: counts each key within a window, and begins again after it', () => {
  const { count, clock } = setUp()
  expect(count('a')).toEqual({ current: 1, ttl: MINUTE_MS })
  clock.nowMs = MINUTE_MS - 1
  expect(count('a')).toEqual({ current: 2, ttl: 1 })
  expect(count('b')).toEqual({ current: 1, ttl: MINUTE_MS })
  clock.nowMs = MINUTE_MS
  expect(count('a')).toEqual({ current: 1, ttl: MINUTE_MS })
})

test('RateLimitStore: a route counts separately', () => {
  const { store, count } = setUp()
  count('a')
  expect(count('a', store.child())).toEqual({ current: 1, ttl: MINUTE_MS })
})

test('RateLimitStore: forgets the keys that were not used for longest', () => {
  const { count } = setUp()
  count('first')
  count('second')
  for (let key = 2; key < 5_000; key += 1) count(`key ${key}`)
  count('first')
  count('one more')
  expect(count('first')).toMatchObject({ current: 3 })
  expect(count('second')).toMatchObject({ current: 1 })
})
