import { expect, test } from 'vitest'
import { slideExtremes } from './extremes.ts'

/** Reference implementation: looks at each value of each window. */
function findExtremesSlowly(values: readonly (bigint | undefined)[], width: number) {
  return values.slice(0, Math.max(0, values.length - width + 1)).map((_, start) => {
    const knownValues = values.slice(start, start + width).filter((value) => value !== undefined)
    const sortedValues = knownValues.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    return { high: sortedValues.at(-1), low: sortedValues[0] }
  })
}

test.each([1, 2, 5, 60, 61])('slideExtremes: equals a full scan for windows of %i values', (width) => {
  // A fixed sequence with rises, falls, equal values and gaps.
  const values = Array.from({ length: 60 }, (_, index) => {
    if (index % 13 === 4 || (index > 30 && index < 38)) return undefined
    return BigInt((index * index * 7) % 23)
  })
  expect(slideExtremes(values, width)).toEqual(findExtremesSlowly(values, width))
})

test('slideExtremes: returns undefined for a window without values', () => {
  expect(slideExtremes([undefined, undefined, 3n], 2)).toEqual([
    { high: undefined, low: undefined },
    { high: 3n, low: 3n },
  ])
})
