import { MINUTE_MS } from '@tocsin/protocol/durations'
import { expect, test } from 'vitest'
import { RateLimitStore } from './rate-limit-store.ts'

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

test('RateLimitStore: counts each key separately, and restarts the count in the next window', () => {
  const { count, clock } = setUp()
  expect(count('a')).toEqual({ current: 1, ttl: MINUTE_MS })
  clock.nowMs = MINUTE_MS - 1
  expect(count('a')).toEqual({ current: 2, ttl: 1 })
  expect(count('b')).toEqual({ current: 1, ttl: MINUTE_MS })
  clock.nowMs = MINUTE_MS
  expect(count('a')).toEqual({ current: 1, ttl: MINUTE_MS })
})

test('RateLimitStore: counts each route separately', () => {
  const { store, count } = setUp()
  count('a')
  expect(count('a', store.child())).toEqual({ current: 1, ttl: MINUTE_MS })
})

test('RateLimitStore: evicts the least recently used key when it is full', () => {
  const { count } = setUp()
  count('first')
  count('second')
  for (let key = 2; key < 5_000; key += 1) count(`key ${key}`)
  count('first')
  count('one more')
  expect(count('first')).toMatchObject({ current: 3 })
  expect(count('second')).toMatchObject({ current: 1 })
})

test('RateLimitStore: counts requests of other networks of the same IPv6 /48 as a quarter each', () => {
  const { count, clock } = setUp()
  for (let index = 0; index < 40; index += 1) count(`files 2001:db8:1:${index.toString(16)}::/64`)
  clock.nowMs = 1_000
  expect(count('files 2001:db8:1:ff::/64')).toEqual({ current: 11, ttl: MINUTE_MS - 1_000 })
  expect(count('2001:db8:1:ff::/64'), 'another prefix').toEqual({ current: 1, ttl: MINUTE_MS })
  expect(count('files 2001:db8:2:ff::/64'), 'another site').toEqual({ current: 1, ttl: MINUTE_MS })
  for (let index = 0; index < 3; index += 1) count('files 2001:db8:2:ff::/64')
  expect(count('files 2001:db8:2:ff::/64'), 'one network').toEqual({ current: 5, ttl: MINUTE_MS })
})
