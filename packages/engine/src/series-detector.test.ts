import { describe, expect, it } from 'vitest'
import { createFuzzyArt, learnNovelty } from './fuzzy-art.ts'
import {
  addValue,
  computeAlarmScore,
  createSeriesDetector,
  type SeriesSettings,
  VIEW_NAMES,
} from './series-detector.ts'

const LEARNED_RANGE: SeriesSettings = { range: null, learnFor: 300, rate: 0.15 }
const FUSION = { weights: [1, 0.2, 0.4, 0.4, 0.2, 0.1, 0.1, 0], factor: 1.2, rest: 60 }
const DAY = 86_400_000
const STEP = 300_000

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

/** A daily wave with a little fixed noise. Values are five minutes apart. */
const computeWave = (i: number) => 50 + 20 * Math.sin((2 * Math.PI * i * STEP) / DAY) + ((i * 7919) % 11) / 11

function scoreValues(values: readonly number[], settings = LEARNED_RANGE): number[][] {
  const detector = createSeriesDetector(settings)
  return values.map((value, i) => addValue(detector, i * STEP, value, settings))
}

/** Returns the positions of the alarms whose score is at least `least`. */
function findAlarms(values: readonly number[], least: number): number[] {
  const alarm = { peak: 0 }
  return scoreValues(values).flatMap((views, i) => (computeAlarmScore(alarm, views, FUSION) >= least ? [i] : []))
}

const baseline = Array.from({ length: 4000 }, (_, i) => computeWave(i))
const modifyBaseline = (change: (value: number, i: number) => number) => baseline.map(change)

describe('series detector', () => {
  it('raises no alarm in an unchanged series after it has learnt', () => {
    expect(findAlarms(baseline, 1).filter((i) => i > 600)).toEqual([])
  })

  it.each([
    ['a value never seen', modifyBaseline((value, i) => (i === 3000 ? 130 : value)), 3000],
    ['a new level', modifyBaseline((value, i) => (i >= 3000 ? value + 60 : value)), 3000],
    [
      'usual values at an unusual hour',
      modifyBaseline((value, i) => (i >= 3000 && i < 3100 ? computeWave(i + 144) : value)),
      3000,
    ],
  ])('raises an alarm within an hour for %s', (_, values, at) => {
    const foundAlarms = findAlarms(values, 1).filter((i) => i > 600)
    expect(foundAlarms[0]).toBeGreaterThanOrEqual(at)
    expect(foundAlarms[0]).toBeLessThanOrEqual(at + 12)
  })

  it('raises one alarm when 20 consecutive values are anomalous', () => {
    const values = modifyBaseline((value, i) => (i >= 3000 && i < 3020 ? 130 : value))
    expect(findAlarms(values, 1).filter((i) => i > 600)).toHaveLength(1)
  })

  it('never looks ahead: later values do not change earlier scores', () => {
    const earlierScores = scoreValues(baseline.slice(0, 1000))
    const changedScores = scoreValues(modifyBaseline((value, i) => (i >= 1000 ? 1e6 : value)))
    expect(changedScores.slice(0, 1000)).toEqual(earlierScores)
  })

  it('scores values before the end of the learning period only when the range of the series is known', () => {
    const knownRange = { range: { low: 29, high: 130 }, learnFor: 300, rate: 0.05 }
    expect(scoreValues([50, 50, 129], knownRange)[2]?.[0]).toBeGreaterThan(10)
    expect(scoreValues([50, 50, 129])[2]?.[0]).toBe(0)
  })

  it('continues identically when it is restored from JSON', () => {
    const detector = createSeriesDetector(LEARNED_RANGE)
    baseline.slice(0, 2000).forEach((value, i) => {
      addValue(detector, i * STEP, value, LEARNED_RANGE)
    })
    const restoredDetector = JSON.parse(JSON.stringify(detector))
    for (let i = 2000; i < 2300; i++) {
      expect(addValue(restoredDetector, i * STEP, computeWave(i), LEARNED_RANGE)).toEqual(
        addValue(detector, i * STEP, computeWave(i), LEARNED_RANGE),
      )
    }
    expect(VIEW_NAMES).toHaveLength(addValue(detector, 2300 * STEP, 50, LEARNED_RANGE).length)
  })

  it('keeps the size of its state nearly constant while values are added', () => {
    const measureSizeAfter = (count: number) => {
      const detector = createSeriesDetector(LEARNED_RANGE)
      for (let i = 0; i < count; i++) addValue(detector, i * STEP, computeWave(i), LEARNED_RANGE)
      return JSON.stringify(detector).length
    }
    expect(measureSizeAfter(20_000)).toBeLessThan(1.2 * measureSizeAfter(5000))
  })
})
