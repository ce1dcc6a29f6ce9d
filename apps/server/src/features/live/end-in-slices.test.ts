import { expect, test } from 'vitest'
import { endInSlices } from './end-in-slices.ts'

test('endInSlices: ends a few connections at once, and many connections in slices of 500', async () => {
  const ended: number[] = []
  const endedAtPauses: number[] = []
  const numbers = Array.from({ length: 1_200 }, (_, at) => at)
  const pause = async () => void endedAtPauses.push(ended.length)
  const end = (one: number) => void ended.push(one)
  await endInSlices(numbers.slice(0, 500), end, pause)
  expect([ended.length, endedAtPauses]).toEqual([500, []])
  ended.length = 0
  await endInSlices(numbers, end, pause)
  expect(endedAtPauses).toEqual([500, 1_000])
  expect(ended).toEqual(numbers)
})
