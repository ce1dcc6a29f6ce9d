import { expect, test } from 'vitest'
import { closeInBatches } from './close-in-batches.ts'

test('closeInBatches: closes up to 500 connections without a pause, and more in batches of 500', async () => {
  const closed: number[] = []
  const closedAtPauses: number[] = []
  const numbers = Array.from({ length: 1_200 }, (_, index) => index)
  const pause = async () => void closedAtPauses.push(closed.length)
  const close = (one: number) => void closed.push(one)
  await closeInBatches(numbers.slice(0, 500), close, pause)
  expect([closed.length, closedAtPauses]).toEqual([500, []])
  closed.length = 0
  await closeInBatches(numbers, close, pause)
  expect(closedAtPauses).toEqual([500, 1_000])
  expect(closed).toEqual(numbers)
})
