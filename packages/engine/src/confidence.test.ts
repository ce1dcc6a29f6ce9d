import { describe, expect, it } from 'vitest'
import { getRandom } from '../test/support/engine-test-bed.ts'
import { computeProbability, createLogistic, learnOutcome } from './logistic.ts'
import { calibrate, fitIsotonic } from './venn-abers.ts'

describe('logistic regression', () => {
  it('returns the prior probability before the first outcome', () => {
    expect(computeProbability(createLogistic([Math.log(0.4 / 0.6), 0], [0, 0]), [1, 3])).toBeCloseTo(0.4, 12)
  })

  it('learns the weights that generated the outcomes', () => {
    const next = getRandom(3)
    const model = createLogistic([0, 0, 0], [1, 1, 1])
    for (let i = 0; i < 4000; i++) {
      const features = [1, 4 * next() - 2, 4 * next() - 2]
      const p = 1 / (1 + Math.exp(-(-0.5 + 1.5 * (features[1] ?? 0))))
      learnOutcome(model, features, next() < p ? 1 : 0)
    }
    expect(model.weights[0]).toBeCloseTo(-0.5, 0)
    expect(model.weights[1]).toBeGreaterThan(1.3)
    expect(model.weights[1]).toBeLessThan(1.7)
    expect(Math.abs(model.weights[2] ?? 1)).toBeLessThan(0.15)
  })

  it('returns a probability closer to one half when the weights are uncertain', () => {
    const model = createLogistic([0, 2], [0.1, 4])
    expect(computeProbability(model, [1, 1])).toBeLessThan(1 / (1 + Math.exp(-2)))
  })
})

describe('Venn-Abers', () => {
  const sortedOutcomes = [
    { score: 0.1, outcome: 0 },
    { score: 0.2, outcome: 1 },
    { score: 0.3, outcome: 0 },
    { score: 0.4, outcome: 1 },
  ] as const

  it.each([
    [0.05, 0, 0],
    [0.05, 1, 0.5],
    [0.25, 0, 1 / 3],
    [0.25, 1, 2 / 3],
    [0.5, 0, 0.5],
    [0.5, 1, 1],
  ] as const)('fits an added point with score %d and outcome %d to %d', (score, outcome, value) => {
    expect(fitIsotonic(sortedOutcomes, score, outcome)).toBeCloseTo(value, 12)
  })

  it('returns one half without past outcomes', () => {
    expect(calibrate([], 0.7)).toBe(0.5)
  })

  it('ignores the order of past outcomes and never returns a lower probability for a higher score', () => {
    const pastOutcomes = [...sortedOutcomes].reverse()
    const values = [0, 0.15, 0.25, 0.35, 1].map((score) => calibrate(pastOutcomes, score))
    expect(values).toEqual([...values].sort((a, b) => a - b))
    expect(values).toEqual([0, 0.15, 0.25, 0.35, 1].map((score) => calibrate(sortedOutcomes, score)))
  })

  it('halves scores that are twice as high as the observed frequency', () => {
    const next = getRandom(5)
    const pastOutcomes = Array.from({ length: 1500 }, () => {
      const score = next()
      return { score, outcome: next() < score / 2 ? (1 as const) : (0 as const) }
    })
    for (const score of [0.2, 0.5, 0.8]) expect(Math.abs(calibrate(pastOutcomes, score) - score / 2)).toBeLessThan(0.1)
  })
})
