import { MINUTE_MS } from '@tocsin/protocol/durations'
import { expect, test } from 'vitest'
import { Quotas } from './quota.ts'

test('quota: a rejected request does not use up quota, and a new window has the full quota', () => {
  const quotas = new Quotas(5_000, MINUTE_MS)
  const consume = (count: number, atMs: number, key = 'account') => quotas.consume(key, atMs, count)
  expect(consume(4_500, 0)).toBe(true)
  expect(consume(501, 1)).toBe(false)
  expect(consume(1_000, 2)).toBe(false)
  expect(consume(500, 3)).toBe(true)
  expect(consume(1, 4)).toBe(false)
  expect(consume(1, 5, 'another account')).toBe(true)
  expect(consume(1, MINUTE_MS - 1)).toBe(false)
  expect(consume(5_000, MINUTE_MS)).toBe(true)
})
