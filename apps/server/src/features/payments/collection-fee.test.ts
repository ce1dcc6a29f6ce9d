import { describe, expect, test } from 'vitest'
import { firstFees, isStuck, raisedFees } from './collection-fee.ts'

const gwei = (amount: number) => BigInt(amount * 1e9)
const fees = (max: number, priority: number) => ({ maxFeePerGas: gwei(max), maxPriorityFeePerGas: gwei(priority) })

describe('raisedFees: does not raise the fee', () => {
  test.each([
    ['when the raised fee would exceed the cap', fees(90, 1), fees(20, 1), 100],
    ['when the raised fee would exceed the cap and the market is above it', fees(90, 1), fees(500, 50), 100],
    ['when the fee is at the cap', fees(100, 1), fees(20, 1), 100],
  ])('%s', (_name, before, market, cap) => {
    expect(raisedFees(before, market, cap)).toBeNull()
  })
})

describe('raisedFees: raises both fields by at least 12.5 %', () => {
  test.each([
    ['when the market is cheaper', fees(40, 2), fees(1, 1), 100],
    ['when the market is slightly more expensive', fees(40, 2), fees(45, 3), 100],
    ['up to the cap when the market is above the cap', fees(40, 2), fees(400, 300), 100],
    ['when the fees were zero', fees(0, 0), fees(0, 0), 100],
    ['when the fees were one wei', { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }, fees(0, 0), 100],
  ])('%s', (_name, before, market, cap) => {
    const raised = raisedFees(before, market, cap)
    if (!raised) throw new Error('The fee was not raised')
    for (const field of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
      expect(raised[field]).toBeGreaterThan(before[field])
      expect(raised[field] * 8n).toBeGreaterThanOrEqual(before[field] * 9n)
    }
    expect(raised.maxFeePerGas).toBeLessThanOrEqual(gwei(cap))
    expect(raised.maxPriorityFeePerGas).toBeLessThanOrEqual(raised.maxFeePerGas)
  })
})

test.each([
  ['the smallest increase when that equals the cap', { ...fees(0, 1), maxFeePerGas: 88_888_888_888n }, fees(1, 1), 100],
  ['the market’s fees when they exceed the smallest increase', fees(40, 2), fees(50, 3), 100],
])('raisedFees: returns %s', (_name, before, market, cap) => {
  expect(raisedFees(before, market, cap)).toMatchObject({ maxFeePerGas: gwei(cap) })
})

test('firstFees: allows for a doubled base fee, up to the cap', () => {
  expect(firstFees(fees(20, 2), 100)).toEqual(fees(40, 2))
  expect(firstFees(fees(80, 2), 100)).toEqual(fees(100, 2))
  expect(firstFees(fees(300, 200), 100)).toEqual(fees(100, 100))
})

test.each([
  [59_999, false],
  [60_000, true],
])('isStuck: after %i ms returns %s', (waitedMs, expected) => {
  expect(isStuck(new Date(1_000), new Date(1_000 + waitedMs))).toBe(expected)
})
