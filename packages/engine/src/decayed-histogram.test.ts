import { describe, expect, it } from 'vitest'
import { addToTail, createTail, effectiveCount, growthOf, quantile, surprise, tailShare } from './decayed-histogram.ts'

/** Creates a tail with the values 1, 2, … 10,000 in a fixed mixed order. */
function filled(growth = 1) {
  const tail = createTail()
  for (let i = 0; i < 10_000; i++) addToTail(tail, 1 + ((i * 7919) % 10_000), growth)
  return tail
}

describe('tail', () => {
  it('has zero surprise and zero quantiles without past values', () => {
    expect(surprise(createTail(), 5)).toBe(0)
    expect(quantile(createTail(), 0.9)).toBe(0)
  })

  it.each([
    [0.5, 5000],
    [0.9, 9000],
    [0.99, 9900],
  ])('has the quantile %d within the width of a bucket', (share, value) => {
    expect(quantile(filled(), share) / value).toBeGreaterThan(0.89)
    expect(quantile(filled(), share) / value).toBeLessThan(1.12)
  })

  it.each([
    [5000, 0.5],
    [9000, 0.1],
  ])('estimates the share of values above %d', (value, share) => {
    expect(tailShare(filled(), value)).toBeGreaterThan(share * 0.75)
    expect(tailShare(filled(), value)).toBeLessThan(share * 1.25)
  })

  it('has a surprise that grows steadily with the value, also beyond all past values', () => {
    const tail = filled()
    const values = Array.from({ length: 400 }, (_, i) => surprise(tail, 100 * 1.02 ** i))
    expect(values.every((value, i) => i === 0 || value >= (values[i - 1] ?? 0))).toBe(true)
    expect(surprise(tail, 1e6) - surprise(tail, 1e5)).toBeCloseTo(3, 6)
  })

  it('puts zero and tiny values into the lowest bucket', () => {
    const tail = filled()
    const before = tail.total
    for (const value of [0, 1e-300]) addToTail(tail, value, 1)
    expect(tail.total - before).toBeCloseTo(2, 9)
    expect(tailShare(tail, 0)).toBeGreaterThan(0.99)
  })

  it('halves the weight of a value after the half-life', () => {
    const tail = createTail()
    const growth = growthOf(100)
    addToTail(tail, 1000, growth)
    for (let i = 0; i < 100; i++) addToTail(tail, 1, growth)
    expect(((tail.buckets[64] ?? 0) * growth) / tail.weight).toBeCloseTo(0.5, 9)
    expect(effectiveCount(tail)).toBeLessThan(1 / (1 - 1 / growth))
  })

  it('keeps all weight when a value is far above the range that the first value set', () => {
    const tail = createTail()
    for (const value of [1e-6, 1, 1, 1e9]) addToTail(tail, value, 1)
    expect(tail.buckets).toHaveLength(128)
    expect(tail.buckets.reduce((sum, weight) => sum + weight, 0)).toBe(4)
    expect(quantile(tail, 0.9)).toBeGreaterThan(0.8e9)
    expect(quantile(tail, 0.9)).toBeLessThan(1.2e9)
  })

  it('gives the same shares after its weights were rescaled', () => {
    const long = createTail()
    for (let i = 0; i < 50_000; i++) addToTail(long, 1 + (i % 10), growthOf(200))
    expect(long.weight).toBeLessThanOrEqual(2 ** 40)
    expect(long.buckets.reduce((sum, weight) => sum + weight, 0) / long.total).toBeCloseTo(1, 9)
    expect(tailShare(long, 5.01)).toBeCloseTo(0.5, 1)
  })

  it('continues identically when it is restored from JSON', () => {
    const tail = filled(growthOf(300))
    const restored = JSON.parse(JSON.stringify(tail))
    for (const value of [3, 700, 12_345]) {
      addToTail(tail, value, growthOf(300))
      addToTail(restored, value, growthOf(300))
    }
    expect(JSON.stringify(restored)).toBe(JSON.stringify(tail))
  })
})
