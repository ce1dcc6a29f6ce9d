import { describe, expect, it } from 'vitest'
import { createFuzzyArt, learnNovelty } from './fuzzy-art.ts'

describe('learnNovelty', () => {
  const settings = { size: 0.1, rate: 1, categories: 3 }

  it('returns 0 for learnt inputs, and the distance from the nearest category for other inputs', () => {
    const memory = createFuzzyArt()
    const scores = [[0.5], [0.5], [0.55], [0.52], [0.9], [0.9], [0.2]].map((input) =>
      learnNovelty(memory, input, settings),
    )
    const roundedScores = scores.map((score) => Number(score.toFixed(9)))
    expect(roundedScores).toEqual([0, 0, 0.05, 0, 0.35, 0, 0.3])
  })

  it('does not exceed its maximum number of categories', () => {
    const memory = createFuzzyArt()
    for (let i = 0; i < 100; i++) learnNovelty(memory, [i], settings)
    expect(memory.low).toHaveLength(3)
  })

  it('does not let a category grow beyond its maximum size', () => {
    const memory = createFuzzyArt()
    for (let i = 0; i < 30; i++) learnNovelty(memory, [0.01 * i], settings)
    const sides = memory.low.map((low, i) => (memory.high[i]?.[0] ?? 0) - (low[0] ?? 0))
    expect(Math.max(...sides)).toBeLessThanOrEqual(0.1 + 1e-12)
    expect(sides).toHaveLength(3)
  })

  it('extends a category towards an input only by the learning rate', () => {
    const memory = createFuzzyArt()
    learnNovelty(memory, [0.5], settings)
    learnNovelty(memory, [0.6], { ...settings, rate: 0.5 })
    expect(memory.high).toEqual([[0.55]])
  })

  it('averages the distance over the dimensions', () => {
    const memory = createFuzzyArt()
    learnNovelty(memory, [0, 0], settings)
    expect(learnNovelty(memory, [0.3, 0.1], settings)).toBeCloseTo(0.2, 12)
  })
})
