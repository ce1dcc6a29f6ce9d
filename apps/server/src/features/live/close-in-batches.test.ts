import { expect, test } from 'vitest'
import { closeInBatches } from './close-in-batches.ts'

test('closeInBatches: closes up to 500 connections without a pause, and more in batches of 500', async () => {
  const closedNumbers: number[] = []
  const closedAtPauses: number[] = []
  const numbers = Array.from({ length: 1_200 }, (_, index) => index)
  const pause = async () => void closedAtPauses.push(closedNumbers.length)
  const close = (number: number) => void closedNumbers.push(number)
  await closeInBatches(numbers.slice(0, 500), close, pause)
  expect([closedNumbers.length, closedAtPauses]).toEqual([500, []])
  closedNumbers.length = 0
  await closeInBatches(numbers, close, pause)
  expect(closedAtPauses).toEqual([500, 1_000])
  expect(closedNumbers).toEqual(numbers)
})
