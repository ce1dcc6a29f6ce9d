import { describe, expect, test } from 'vitest'
import { formatPath, layOutSeries, listGridValues } from './series-layout.ts'

const series = { unit: '×', stepSeconds: 60, values: [1, 2, 5, 3], triggerIndex: 2, mean: 2, deviation: 0.5 }

describe('layOutSeries', () => {
  test('fills the box: first value at the left, last at the right, highest at the top', () => {
    const { points, trigger } = layOutSeries(series)
    expect(points.map(({ x }) => x)).toEqual([0, 33.33, 66.67, 100])
    expect(points.map(({ y }) => y)).toEqual([100, 75, 0, 50])
    expect(trigger).toEqual({ x: 66.67, y: 0 })
  })

  test('returns a band of two standard deviations around the mean and fits it into the box', () => {
    expect(layOutSeries(series).band).toEqual({ top: 50, mean: 75, bottom: 100 })
    const { points, band } = layOutSeries({ ...series, deviation: 4 })
    expect(band).toEqual({ top: 0, mean: 50, bottom: 100 })
    expect(points.map(({ y }) => y)).toEqual([56.25, 50, 31.25, 43.75])
  })

  test('returns the index of the lowest value for a high anomaly, and of the highest value for a low one', () => {
    expect(layOutSeries(series).oppositeIndex).toBe(0)
    expect(layOutSeries({ ...series, values: [2, 2.2, -3, 1] }).oppositeIndex).toBe(1)
  })

  test('returns a line through the middle when all values are equal', () => {
    const { points, band, grid } = layOutSeries({ ...series, values: [2, 2, 2], mean: 2, deviation: 0 })
    expect(points.map(({ y }) => y)).toEqual([50, 50, 50])
    expect(band).toEqual({ top: 50, mean: 50, bottom: 50 })
    expect(grid).toEqual([])
  })
})

test.each([
  [0, 4.1, [0, 1, 2, 3, 4]],
  [-0.056, 0.021, [-0.04, -0.02, 0, 0.02]],
  [0.1, 0.6, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]],
  [28, 118, [40, 60, 80, 100]],
  [-1e12, 1e12, [-1e12, -5e11, 0, 5e11, 1e12]],
  [1, 1, []],
])('listGridValues: returns round values from %d to %d', (low, high, expected) => {
  expect(listGridValues(low, high)).toEqual(expected)
})

test('formatPath: connects the points with lines', () => {
  expect(
    formatPath([
      { x: 0, y: 10 },
      { x: 50.5, y: 0 },
    ]),
  ).toBe('M0 10L50.5 0')
  expect(formatPath([])).toBe('')
})
