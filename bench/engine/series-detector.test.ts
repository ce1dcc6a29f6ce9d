import { describe, expect, it } from 'vitest'
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
