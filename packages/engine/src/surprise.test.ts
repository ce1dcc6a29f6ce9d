import { describe, expect, it } from 'vitest'
import { addToHistogram, createDecayedHistogram } from './decayed-histogram.ts'
import { addScore, createLikelihood, log10NormalTail } from './likelihood.ts'
import { combineSurprises, computeSurprises, findIndexOfMax } from './surprise.ts'

describe('combineSurprises', () => {
  it.each([
    [[], 0],
    [[0, 0], 0],
    [[3], 3],
    [[3, 3, 3], 3],
    [[4, 0], Math.log10((10_000 + 1) / 2)],
  ])('combines %j to %d', (surprises, expectedSurprise) => {
    expect(combineSurprises(surprises)).toBeCloseTo(expectedSurprise, 12)
  })
})

describe('computeSurprises', () => {
  it('ignores the sign of a value', () => {
    const histogram = createDecayedHistogram()
    for (let i = 1; i <= 1000; i++) addToHistogram(histogram, i, 1)
    const [up = 0, down = 0] = computeSurprises([histogram, histogram], [900, -900])
    expect(up).toBe(down)
    expect(up).toBeGreaterThan(0.8)
  })
})

describe('findIndexOfMax', () => {
  it('returns the first index of the largest value', () => {
    expect(findIndexOfMax([1, 3, 3])).toBe(1)
    expect(findIndexOfMax([])).toBe(0)
  })
})

describe('log10NormalTail', () => {
  it.each([
    [0, Math.log10(0.5)],
    [1.959963984540054, Math.log10(0.025)],
    [-1.959963984540054, Math.log10(0.975)],
    [5, Math.log10(2.866515719235352e-7)],
    [8, Math.log10(6.220960574271785e-16)],
    [40, -349.43701],
  ])('returns the logarithm of the tail above %d', (z, log) => {
    expect(log10NormalTail(z)).toBeCloseTo(log, 2)
  })
})

describe('addScore', () => {
  it('returns a low surprise while scores are usual, and a high one after the scores change', () => {
    const state = createLikelihood()
    const usualSurprises = Array.from({ length: 500 }, (_, i) => addScore(state, (i * 7919) % 10, 3, 200))
    const changedSurprises = [30, 30, 30].map((score) => addScore(state, score, 3, 200))
    expect(Math.max(...usualSurprises.slice(100))).toBeLessThan(2)
    expect(changedSurprises.at(-1)).toBeGreaterThan(4)
  })
})
