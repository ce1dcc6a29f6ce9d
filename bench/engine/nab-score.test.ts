import { describe, expect, it } from 'vitest'
import { computeRawScore, findBestThreshold, getProbation, normaliseScore, type Window } from './nab-score.ts'

const STANDARD = { truePositive: 1, falseNegative: 1, falsePositive: 0.11 }
const WINDOWS: Window[] = [
  [40, 49],
  [70, 79],
]

/** Creates a file of 100 rows, of which 15 are probation, with a detection at each given row. */
function getFile(detections: Record<number, number>, windows = WINDOWS) {
  const scores = new Float64Array(100)
  for (const [row, score] of Object.entries(detections)) scores[Number(row)] = score
  return { scores, windows }
}

describe('getProbation', () => {
  it.each([
    [100, 15],
    [1127, 169],
    [4032, 604],
    [5000, 750],
    [22_695, 750],
  ])('returns the length of the probationary period of a file of %d rows', (rows, probation) => {
    expect(getProbation(rows)).toBe(probation)
  })
})

describe('computeRawScore', () => {
  it.each([
    ['nothing is detected', {}, -2],
    ['a detection is in the probation', { 14: 1 }, -2],
    ['a detection is before all windows', { 15: 1 }, -2 - 0.11],
    ['a window is detected in its first row', { 40: 1 }, 1 - 1],
    ['a window is detected in its last row', { 49: 1 }, 0.2482418 - 1],
    ['a window is detected twice, only the best counts', { 49: 1, 40: 1, 45: 1 }, 1 - 1],
    ['a detection follows a window soon', { 54: 1 }, -2 - 0.0971219],
    ['a detection follows a window much later', { 69: 1 }, -2 - 0.1099967],
    ['a detection is exactly the row after a window', { 50: 1 }, -2 - 0.0297932],
    ['a score is below the threshold', { 40: 0.49, 70: 0.5 }, 1 - 1],
  ])('returns the expected score if %s', (_, detections, raw) => {
    expect(computeRawScore([getFile(detections)], STANDARD, 0.5)).toBeCloseTo(raw, 6)
  })

  it('uses the weights of the profile', () => {
    const weights = { truePositive: 1, falseNegative: 2, falsePositive: 0.22 }
    expect(computeRawScore([getFile({ 20: 1, 40: 1 })], weights, 0.5)).toBeCloseTo(1 - 2 - 0.22, 12)
  })
})

describe('findBestThreshold', () => {
  it('returns an infinite threshold if each detection costs more than it gains', () => {
    expect(findBestThreshold([getFile({ 20: 0.9 })], STANDARD)).toEqual({
      threshold: Number.POSITIVE_INFINITY,
      raw: -2,
    })
  })

  it('returns the threshold with the highest total score when there are several files', () => {
    const files = [getFile({ 20: 0.9, 40: 0.8, 90: 0.2 }), getFile({ 70: 0.8, 20: 0.1 })]
    const { threshold, raw } = findBestThreshold(files, STANDARD)
    expect(threshold).toBe(0.8)
    expect(raw).toBeCloseTo(computeRawScore(files, STANDARD, 0.8), 12)
    expect(raw).toBeCloseTo(2 - 2 - 0.11, 12)
  })
})

describe('normaliseScore', () => {
  it('returns 0 for a detector without detections, and 100 for a perfect one', () => {
    expect(normaliseScore(computeRawScore([getFile({})], STANDARD, 0.5), 2, STANDARD)).toBe(0)
    expect(normaliseScore(computeRawScore([getFile({ 40: 1, 70: 1 })], STANDARD, 0.5), 2, STANDARD)).toBeCloseTo(
      100,
      12,
    )
  })
})
