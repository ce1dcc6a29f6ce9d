import { describe, expect, test } from 'vitest'
import { computeFirstFees, computeRaisedFees, isStuck } from './collection-fee.ts'

const gwei = (amount: number) => BigInt(amount * 1e9)
const createFees = (max: number, priority: number) => ({
  maxFeePerGas: gwei(max),
  maxPriorityFeePerGas: gwei(priority),
})

describe('computeRaisedFees: does not raise the fee', () => {
  test.each([
    ['when the raised fee would exceed the cap', createFees(90, 1), createFees(20, 1), 100],
    [
      'when the raised fee would exceed the cap and the market is above it',
      createFees(90, 1),
      createFees(500, 50),
      100,
    ],
    ['when the fee is at the cap', createFees(100, 1), createFees(20, 1), 100],
  ])('%s', (_name, currentFees, market, capGwei) => {
    expect(computeRaisedFees(currentFees, market, capGwei)).toBeNull()
  })
})

describe('computeRaisedFees: raises both fields by at least 12.5 %', () => {
  test.each([
    ['when the market is cheaper', createFees(40, 2), createFees(1, 1), 100],
    ['when the market is slightly more expensive', createFees(40, 2), createFees(45, 3), 100],
    ['up to the cap when the market is above the cap', createFees(40, 2), createFees(400, 300), 100],
    ['when the fees were zero', createFees(0, 0), createFees(0, 0), 100],
    ['when the fees were one wei', { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }, createFees(0, 0), 100],
  ])('%s', (_name, currentFees, market, capGwei) => {
    const newFees = computeRaisedFees(currentFees, market, capGwei)
    if (!newFees) throw new Error('The fee was not raised')
    for (const field of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
      expect(newFees[field]).toBeGreaterThan(currentFees[field])
      expect(newFees[field] * 8n).toBeGreaterThanOrEqual(currentFees[field] * 9n)
    }
    expect(newFees.maxFeePerGas).toBeLessThanOrEqual(gwei(capGwei))
    expect(newFees.maxPriorityFeePerGas).toBeLessThanOrEqual(newFees.maxFeePerGas)
  })
})

test.each([
  [
    'the smallest increase when that equals the cap',
    { ...createFees(0, 1), maxFeePerGas: 88_888_888_888n },
    createFees(1, 1),
    100,
  ],
  ['the market’s fees when they exceed the smallest increase', createFees(40, 2), createFees(50, 3), 100],
])('computeRaisedFees: returns %s', (_name, currentFees, market, capGwei) => {
  expect(computeRaisedFees(currentFees, market, capGwei)).toMatchObject({ maxFeePerGas: gwei(capGwei) })
})

test('computeFirstFees: allows for a doubled base fee, up to the cap', () => {
  expect(computeFirstFees(createFees(20, 2), 100)).toEqual(createFees(40, 2))
  expect(computeFirstFees(createFees(80, 2), 100)).toEqual(createFees(100, 2))
  expect(computeFirstFees(createFees(300, 200), 100)).toEqual(createFees(100, 100))
})

test.each([
  [59_999, false],
  [60_000, true],
])('isStuck: after %i ms returns %s', (waitedMs, expected) => {
  expect(isStuck(new Date(1_000), new Date(1_000 + waitedMs))).toBe(expected)
})
