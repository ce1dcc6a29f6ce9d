import { describe, expect, it } from 'vitest'
import { findRegressions } from './find-regressions.ts'
import type { Row } from './table.ts'

const TOLERANCE = 0.15
const figure = (median: number) => ({ median, min: 0, max: 2 * median })

function createRow(median: number, head: Partial<Row> = {}): Row {
  return { name: 'last', unit: 'ms', isHigherBetter: false, figures: { ours: figure(median) }, ...head }
}
const compare = (before: Row[], now: Row[]) => findRegressions({ rows: before }, { rows: now }, 'ours', TOLERANCE)

describe('findRegressions', () => {
  it.each([
    ['the same figure', 100, 100],
    ['a better figure', 100, 10],
    ['a figure that got worse by 15 %', 100, 115],
  ])('returns nothing for %s', (_, before, now) => {
    expect(compare([createRow(before)], [createRow(now)])).toEqual([])
  })

  it('returns a time that got worse by more than 15 %', () => {
    expect(compare([createRow(100)], [createRow(115.1)])).toEqual([
      { row: { name: 'last', unit: 'ms' }, earlierMedian: 100, currentMedian: 115.1 },
    ])
  })

  it.each([
    ['allows a rate that fell by 15 %', 85, 0],
    ['returns a rate that fell by more than 15 %', 84.9, 1],
    ['allows a rate that rose', 200, 0],
  ])('%s', (_, now, found) => {
    const row = (median: number) => createRow(median, { name: 'saturated', isHigherBetter: true })
    expect(compare([row(100)], [row(now)])).toHaveLength(found)
  })

  it('compares rows by name, in any order', () => {
    const rows = [createRow(1, { name: 'first' }), createRow(1_000, { name: 'second' })]
    expect(compare(rows, [...rows].reverse())).toEqual([])
  })

  it('returns a figure of the earlier table that is missing in the current table', () => {
    const missing = { row: { name: 'last', unit: 'ms' }, earlierMedian: 100, currentMedian: null }
    expect(compare([createRow(100)], [])).toEqual([missing])
    expect(compare([createRow(100)], [createRow(0, { figures: {} })])).toEqual([missing])
  })

  it('ignores new rows and the figures of candidates other than the given one', () => {
    const before = [createRow(100, { figures: { ours: figure(100), floor: figure(10) } })]
    const now = [createRow(100, { figures: { ours: figure(100), floor: figure(100) } }), createRow(1, { name: 'new' })]
    expect(compare(before, now)).toEqual([])
  })
})
