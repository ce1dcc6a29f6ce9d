import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { WireTrade } from './frame.ts'
import { createTradeSequence, type Position } from './trade-sequence.ts'

const createTrade = (number: number, count = 1, at = 1_000 * number): WireTrade => ({
  symbol: 'BTCUSDT',
  number,
  count,
  at,
  price: 1,
  amount: 1,
  takerSide: 'buy',
})

function createTestBed(resumedPosition: Position | null = null) {
  const numbers: number[] = []
  const lost: unknown[][] = []
  const sequence = createTradeSequence(
    { trade: ({ number }) => void numbers.push(number), lost: (...loss) => void lost.push(loss) },
    resumedPosition,
  )
  const acceptAll = (...list: number[]) => list.map((number) => sequence.accept(createTrade(number)))
  return { sequence, numbers, lost, acceptAll }
}

test('trade sequence: refuses a trade when it arrives twice', () => {
  const { numbers, acceptAll } = createTestBed()
  expect(acceptAll(5, 6, 6, 5, 7)).toEqual([true, true, false, false, true])
  expect(numbers).toEqual([5, 6, 7])
})

test('trade sequence: refuses a repeated trade when the first copy is queued behind a gap', () => {
  const { acceptAll } = createTestBed()
  expect(acceptAll(5, 8, 8)).toEqual([true, true, false])
})

test('trade sequence: queues the trades after a gap while the gap is open', () => {
  const { sequence, numbers, acceptAll } = createTestBed()
  acceptAll(5, 8, 9, 12)
  expect(numbers).toEqual([5])
  expect(sequence.missing()).toEqual({ from: 6, to: 11 })
})

test('trade sequence: restores the order when trades arrive late', () => {
  const { sequence, numbers, acceptAll } = createTestBed()
  acceptAll(5, 7, 6, 8)
  expect(numbers).toEqual([5, 6, 7, 8])
  expect(sequence.missing()).toBeNull()
})

test('trade sequence: finds no gap when an aggregated trade’s number advances by its trade count', () => {
  const { sequence, numbers } = createTestBed()
  sequence.accept(createTrade(474, 3))
  sequence.accept(createTrade(476, 2))
  expect([numbers, sequence.missing()]).toEqual([[474, 476], null])
  sequence.accept(createTrade(480, 2))
  expect(sequence.missing()).toEqual({ from: 477, to: 478 })
})

test('trade sequence: passes everything in order when a gap is filled', () => {
  const { sequence, numbers, lost, acceptAll } = createTestBed()
  acceptAll(5, 8)
  expect(sequence.fill([createTrade(7), createTrade(6), createTrade(5), createTrade(8)], null)).toBe(2)
  expect([numbers, lost]).toEqual([[5, 6, 7, 8], []])
})

test('trade sequence: ignores a backfilled trade when a queued aggregated trade covers its number', () => {
  const { sequence, numbers } = createTestBed()
  for (const one of [createTrade(5), createTrade(10, 3), createTrade(15, 3)]) sequence.accept(one)
  expect(sequence.missing()).toEqual({ from: 6, to: 12 })
  expect(
    sequence.fill(
      [6, 7, 8, 9, 10, 11, 12].map((number) => createTrade(number)),
      null,
    ),
  ).toBe(4)
  expect(numbers).toEqual([5, 6, 7, 10, 11, 12, 15])
})

test('trade sequence: refuses an aggregated trade when some of its trades are already queued', () => {
  const { sequence, numbers } = createTestBed()
  expect(
    [createTrade(5), createTrade(8), createTrade(9), createTrade(10, 3)].map((one) => sequence.accept(one)),
  ).toEqual([true, true, true, false])
  sequence.fill([createTrade(6), createTrade(7)], null)
  expect(numbers).toEqual([5, 6, 7, 8, 9])
  expect(sequence.accept(createTrade(10))).toBe(true)
})

test('trade sequence: keeps the rest of a gap open when only a part of the gap is filled', () => {
  const { sequence, numbers, acceptAll } = createTestBed()
  acceptAll(5, 8)
  sequence.fill([createTrade(6)], null)
  expect([numbers, sequence.missing()]).toEqual([[5, 6], { from: 7, to: 7 }])
})

test('trade sequence: reports no loss when the response confirms that the exchange skipped the missing numbers', () => {
  const { sequence, numbers, lost, acceptAll } = createTestBed()
  acceptAll(5, 8, 10)
  sequence.fill([createTrade(7)], { from: 6, to: 9 })
  expect([numbers, lost]).toEqual([[5, 7, 8, 10], []])
})

test('trade sequence: keeps a gap open when only other numbers are confirmed as skipped', () => {
  const { sequence, numbers, acceptAll } = createTestBed()
  acceptAll(5, 8, 10)
  sequence.fill([], { from: 6, to: 7 })
  expect([numbers, sequence.missing()]).toEqual([[5, 8], { from: 9, to: 9 }])
})

test('trade sequence: reports the time range of each gap when giveUp is called', () => {
  const { sequence, numbers, lost, acceptAll } = createTestBed()
  acceptAll(5, 8, 10)
  sequence.giveUp()
  expect(numbers).toEqual([5, 8, 10])
  expect(lost).toEqual([
    [5_000, 8_001],
    [8_000, 10_001],
  ])
})

test('trade sequence: skips a gap when too many later trades are queued', () => {
  const { sequence, numbers, lost } = createTestBed()
  sequence.accept(createTrade(1))
  for (let number = 3; number <= 20_003; number++) sequence.accept(createTrade(number))
  expect([numbers.length, lost.length, sequence.missing()]).toEqual([20_002, 1, null])
})

test('trade sequence: reports the trades missed during downtime as a gap when it resumes from a snapshot', () => {
  const { sequence, numbers, acceptAll } = createTestBed({ number: 5, at: 5_000 })
  expect(acceptAll(4, 5, 9)).toEqual([false, false, true])
  expect([numbers, sequence.missing()]).toEqual([[], { from: 6, to: 8 }])
})

test('trade sequence: restarts and reports a loss when the exchange has renumbered its trades', () => {
  const { sequence, numbers, lost } = createTestBed({ number: 1_000_000, at: 5_000 })
  for (let number = 1; number <= 21; number++) sequence.accept(createTrade(number, 1, 5_000 + number))
  expect(numbers).toEqual([20, 21])
  expect(lost).toEqual([[5_000, 5_021, true]])
})

test('trade sequence: passes each trade once and in order when trades arrive repeatedly and in any order', () => {
  const arbitraryArrivals = fc
    .shuffledSubarray(Array.from({ length: 40 }, (_, index) => index + 1))
    .chain((list) =>
      fc.tuple(fc.constant(list), fc.array(fc.constantFrom(...(list.length > 0 ? list : [1])), { maxLength: 10 })),
    )
  fc.assert(
    fc.property(arbitraryArrivals, ([list, repeatedNumbers]) => {
      const { sequence, numbers, acceptAll } = createTestBed({ number: 0, at: 0 })
      acceptAll(...list, ...repeatedNumbers.filter((number) => list.includes(number)))
      sequence.giveUp()
      expect(numbers).toEqual([...list].sort((a, b) => a - b))
    }),
    { seed: 18, numRuns: 300 },
  )
})
