import { describe, expect, test } from 'vitest'
import { firstFees, isStuck, raisedFees } from './collection-fee.ts'

const gwei = (amount: number) => BigInt(amount * 1e9)
const fees = (max: number, priority: number) => ({ maxFeePerGas: gwei(max), maxPriorityFeePerGas: gwei(priority) })

describe('a fee is not raised', () => {
  test.each([
    ['above the cap', fees(90, 1), fees(20, 1), 100],
    ['above the cap, however much the chain asks for', fees(90, 1), fees(500, 50), 100],
    ['of one at the cap', fees(100, 1), fees(20, 1), 100],
  ])('%s', (_name, before, market, cap) => {
    expect(raisedFees(before, market, cap)).toBeNull()
  })
})

describe('a fee is raised by an eighth or more, in both fields', () => {
  test.each([
    ['on a cheaper chain', fees(40, 2), fees(1, 1), 100],
    ['on a dearer one to what that asks for', fees(40, 2), fees(45, 3), 100],
    ['on one far dearer up to the cap', fees(40, 2), fees(400, 300), 100],
    ['from nothing', fees(0, 0), fees(0, 0), 100],
    ['from one wei', { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }, fees(0, 0), 100],
  ])('%s', (_name, before, market, cap) => {
    const raised = raisedFees(before, market, cap)
    if (!raised) throw new Error('It is not raised')
    for (const field of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
      expect(raised[field]).toBeGreaterThan(before[field])
      expect(raised[field] * 8n).toBeGreaterThanOrEqual(before[field] * 9n)
    }
    expect(raised.maxFeePerGas).toBeLessThanOrEqual(gwei(cap))
    expect(raised.maxPriorityFeePerGas).toBeLessThanOrEqual(raised.maxFeePerGas)
  })
})

test('the first fee leaves room for a base fee that doubles, below the cap', () => {
  expect(firstFees(fees(20, 2), 100)).toEqual(fees(40, 2))
  expect(firstFees(fees(80, 2), 100)).toEqual(fees(100, 2))
  expect(firstFees(fees(300, 200), 100)).toEqual(fees(100, 100))
})

test.each([
  [59_999, false],
  [60_000, true],
])('after %i ms a transaction has waited long enough: %s', (waitedMs, expected) => {
  expect(isStuck(new Date(1_000), new Date(1_000 + waitedMs))).toBe(expected)
})
