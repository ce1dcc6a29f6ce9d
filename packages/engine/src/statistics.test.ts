import { describe, expect, it } from 'vitest'
import type { Minute } from './bars.ts'
import { computeQuantile, type DecayedHistogram } from './decayed-histogram.ts'
import { createRing, getPast, push, sumNewest } from './ring.ts'
import { defaultSettings } from './settings.ts'
import {
  addMinute,
  computeExcursion,
  computeMeasures,
  createStatistics,
  getUsualVolume,
  learnMeasures,
  type Statistics,
} from './statistics.ts'

const HOUR = 3_600_000

const createMinute = (i: number, close: number, volume = 1, overrides: Partial<Minute> = {}): Minute => ({
  at: i * 60_000,
  open: close,
  high: close,
  low: close,
  close,
  volume,
  takerBuyVolume: volume / 2,
  incomplete: false,
  ...overrides,
})

function addCloses(statistics: Statistics, closes: readonly number[], from = 0): void {
  closes.forEach((close, i) => {
    addMinute(statistics, createMinute(from + i, close))
  })
}

/** Creates closing prices that alternate between 100 and 100.1. */
const createRestlessCloses = (count: number) => Array.from({ length: count }, (_, i) => 100 + 0.1 * (i % 2))

describe('ring', () => {
  it('reads back the newest values and sums them', () => {
    const ring = createRing(3)
    for (const value of [1, 2, 3, 4]) push(ring, value)
    expect([getPast(ring, 0), getPast(ring, 1), getPast(ring, 2)]).toEqual([4, 3, 2])
    expect(sumNewest(ring, 2)).toBe(7)
  })
})

describe('computeMeasures', () => {
  it('returns 0 for windows that include an incomplete minute', () => {
    const statistics = createStatistics(defaultSettings)
    addCloses(statistics, createRestlessCloses(100))
    addMinute(statistics, createMinute(100, 100, 1, { incomplete: true }))
    addCloses(statistics, [100, 110, 110, 110, 110, 110], 101)
    const { moves, volumes } = computeMeasures(statistics, 107 * 60_000)
    expect(moves[0]).toBe(0)
    expect(moves[1]).toBeCloseTo(100 * Math.log(1.1), 9)
    expect(moves.slice(2)).toEqual([0, 0])
    expect(volumes[2]).toBe(0)
  })

  it('measures moves in units of the volatility of the market', () => {
    const statistics = createStatistics(defaultSettings)
    addCloses(statistics, createRestlessCloses(1440))
    addCloses(statistics, [101], 1440)
    const views = computeMeasures(statistics, 1441 * 60_000)
    expect(views.moves[0]).toBeCloseTo(100 * Math.log(101 / 100.1), 9)
    expect(views.prices[0]).toBeCloseTo((views.moves[0] ?? 0) / Math.sqrt(statistics.slow), 6)
  })

  it('evaluates the open minute as if it closed now', () => {
    const openStatistics = createStatistics(defaultSettings)
    addCloses(openStatistics, createRestlessCloses(200))
    const closedStatistics = JSON.parse(JSON.stringify(openStatistics))
    addMinute(closedStatistics, createMinute(200, 103, 7))
    const openMinuteMeasures = computeMeasures(openStatistics, 200 * 60_000, { close: 103, volume: 7 })
    expect(openMinuteMeasures.moves).toEqual(computeMeasures(closedStatistics, 201 * 60_000).moves)
  })
})

describe('getUsualVolume', () => {
  it('differs by hour of day', () => {
    const statistics = createStatistics(defaultSettings)
    for (let i = 0; i < 30 * 1440; i++) {
      addMinute(statistics, createMinute(i, 100, Math.floor(i / 60) % 24 === 14 ? 9 : 1))
    }
    const day = 30 * 24 * HOUR
    expect(getUsualVolume(statistics, day + 14 * HOUR) / getUsualVolume(statistics, day + 3 * HOUR)).toBeCloseTo(3, 1)
  })
})

describe('addMinute', () => {
  it('counts minutes without trades only since the last incomplete minute', () => {
    const statistics = createStatistics(defaultSettings)
    const addVolume = (i: number, volume: number, incomplete = false) =>
      addMinute(statistics, createMinute(i, 100, volume, { incomplete }))
    for (let i = 0; i < 9; i++) addVolume(i, 0)
    expect(statistics.quiet).toBe(9)
    addVolume(9, 0, true)
    addVolume(10, 0)
    expect(statistics.quiet).toBe(1)
    addVolume(11, 1)
    expect([statistics.quiet, statistics.pause]).toEqual([0, 1])
  })
})

describe('learnMeasures', () => {
  it('records excursion, volume and realised variance over past periods of the length of a prediction', () => {
    const statistics = createStatistics(defaultSettings)
    for (let i = 0; i < 500; i++) {
      addMinute(statistics, createMinute(i, 100 + 0.1 * (i % 2), 2))
      learnMeasures(statistics, computeMeasures(statistics, (i + 1) * 60_000), defaultSettings)
    }
    const pastHour = statistics.past[0]
    expect(pastHour?.minutes).toBe(60)
    expect(computeQuantile(pastHour?.volume as DecayedHistogram, 0.5)).toBeGreaterThan(110)
    expect(computeQuantile(pastHour?.volume as DecayedHistogram, 0.5)).toBeLessThan(130)
    expect(computeQuantile(pastHour?.maxExcursion as DecayedHistogram, 0.5)).toBeGreaterThan(0.09)
    expect(computeQuantile(pastHour?.maxExcursion as DecayedHistogram, 0.5)).toBeLessThan(0.11)
    expect(computeQuantile(pastHour?.realisedVariance as DecayedHistogram, 0.5)).toBeGreaterThan(0.53)
    expect(computeQuantile(pastHour?.realisedVariance as DecayedHistogram, 0.5)).toBeLessThan(0.67)
  })

  it('computeExcursion measures the excursion from the close before the window', () => {
    const statistics = createStatistics(defaultSettings)
    addCloses(statistics, [100, 100, 102, 99])
    expect(computeExcursion(statistics, 2)).toBeCloseTo(100 * Math.log(1.02), 9)
    expect(computeExcursion(statistics, 1)).toBeCloseTo(100 * Math.log(102 / 99), 9)
  })
})
