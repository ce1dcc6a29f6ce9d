import { describe, expect, it } from 'vitest'
import {
  addToHistogram,
  computeEffectiveCount,
  computeGrowth,
  computeQuantile,
  computeShareAbove,
  computeSurprise,
  createDecayedHistogram,
} from './decayed-histogram.ts'

/**
 * Creates a histogram with the values 1, 2, … 10,000 in a fixed order that mixes small and large
 * values.
 */
function createFilledHistogram(growth = 1) {
  const histogram = createDecayedHistogram()
  for (let i = 0; i < 10_000; i++) addToHistogram(histogram, 1 + ((i * 7919) % 10_000), growth)
  return histogram
}

describe('decayed histogram', () => {
  it('has zero surprise and zero quantiles without past values', () => {
    expect(computeSurprise(createDecayedHistogram(), 5)).toBe(0)
    expect(computeQuantile(createDecayedHistogram(), 0.9)).toBe(0)
  })

  it.each([
    [0.5, 5000],
    [0.9, 9000],
    [0.99, 9900],
  ])('estimates the quantile %d with an error of at most the width of a bucket', (share, value) => {
    expect(computeQuantile(createFilledHistogram(), share) / value).toBeGreaterThan(0.89)
    expect(computeQuantile(createFilledHistogram(), share) / value).toBeLessThan(1.12)
  })

  it.each([
    [5000, 0.5],
    [9000, 0.1],
  ])('estimates the share of values above %d', (value, share) => {
    expect(computeShareAbove(createFilledHistogram(), value)).toBeGreaterThan(share * 0.75)
    expect(computeShareAbove(createFilledHistogram(), value)).toBeLessThan(share * 1.25)
  })

  it('has a surprise that grows steadily with the value, also beyond all past values', () => {
    const histogram = createFilledHistogram()
    const values = Array.from({ length: 400 }, (_, i) => computeSurprise(histogram, 100 * 1.02 ** i))
    expect(values.every((value, i) => i === 0 || value >= (values[i - 1] ?? 0))).toBe(true)
    expect(computeSurprise(histogram, 1e6) - computeSurprise(histogram, 1e5)).toBeCloseTo(3, 6)
  })

  it('puts zero and tiny values into the lowest bucket', () => {
    const histogram = createFilledHistogram()
    const before = histogram.total
    for (const value of [0, 1e-300]) addToHistogram(histogram, value, 1)
    expect(histogram.total - before).toBeCloseTo(2, 9)
    expect(computeShareAbove(histogram, 0)).toBeGreaterThan(0.99)
  })

  it('halves the weight of a value after the half-life', () => {
    const histogram = createDecayedHistogram()
    const growth = computeGrowth(100)
    addToHistogram(histogram, 1000, growth)
    for (let i = 0; i < 100; i++) addToHistogram(histogram, 1, growth)
    expect(((histogram.buckets[64] ?? 0) * growth) / histogram.weight).toBeCloseTo(0.5, 9)
    expect(computeEffectiveCount(histogram)).toBeLessThan(1 / (1 - 1 / growth))
  })

  it('keeps all weight when a value is far above the range that the first value set', () => {
    const histogram = createDecayedHistogram()
    for (const value of [1e-6, 1, 1, 1e9]) addToHistogram(histogram, value, 1)
    expect(histogram.buckets).toHaveLength(128)
    expect(histogram.buckets.reduce((sum, weight) => sum + weight, 0)).toBe(4)
    expect(computeQuantile(histogram, 0.9)).toBeGreaterThan(0.8e9)
    expect(computeQuantile(histogram, 0.9)).toBeLessThan(1.2e9)
  })

  it('gives the same shares after its weights were rescaled', () => {
    const longHistogram = createDecayedHistogram()
    for (let i = 0; i < 50_000; i++) addToHistogram(longHistogram, 1 + (i % 10), computeGrowth(200))
    expect(longHistogram.weight).toBeLessThanOrEqual(2 ** 40)
    expect(longHistogram.buckets.reduce((sum, weight) => sum + weight, 0) / longHistogram.total).toBeCloseTo(1, 9)
    expect(computeShareAbove(longHistogram, 5.01)).toBeCloseTo(0.5, 1)
  })

  it('continues identically when it is restored from JSON', () => {
    const histogram = createFilledHistogram(computeGrowth(300))
    const restoredHistogram = JSON.parse(JSON.stringify(histogram))
    for (const value of [3, 700, 12_345]) {
      addToHistogram(histogram, value, computeGrowth(300))
      addToHistogram(restoredHistogram, value, computeGrowth(300))
    }
    expect(JSON.stringify(restoredHistogram)).toBe(JSON.stringify(histogram))
  })
})
