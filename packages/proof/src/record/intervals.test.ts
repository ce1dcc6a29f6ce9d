import { describe, expect, it } from 'vitest'
import vectors from '../vectors/predictions.json'
import { createEpisodeStartCheck } from './episodes.ts'
import { computeClusteredRate, wilsonInterval } from './intervals.ts'
import { formatRate, formatShare } from './percent.ts'
import type { Prediction } from './prediction.ts'

const { wilson, clustered, episodes } = vectors.intervals
const percents: Record<string, string> = {
  '0/10': '0.0 to 27.8',
  '7/7': '64.6 to 100.0',
  '43/100': '33.7 to 52.8',
  '421/970': '40.3 to 46.5',
  '349/669': '48.4 to 55.9',
  '162/195': '77.2 to 87.7',
}

describe('wilsonInterval', () => {
  it('is null without alerts', () => {
    expect(wilsonInterval(0, 0)).toBeNull()
  })

  it.each(wilson)('reproduces the interval of $k of $n', ({ k, n, interval }) => {
    const foundInterval = wilsonInterval(k, n) ?? [Number.NaN, Number.NaN]
    for (const [at, bound] of interval.entries()) expect(foundInterval[at]).toBeCloseTo(bound, 9)
    expect(foundInterval.map(formatRate).join(' to ')).toBe(percents[`${k}/${n}`])
  })
})

describe('computeClusteredRate', () => {
  it('returns the interval of the published test vector with many dependent alerts', () => {
    const results = clustered.pairs.map(([group = 0, y]) => ({ group, isTrue: y === 1 }))
    const { n, k, designEffect, effectiveN, interval } = computeClusteredRate(results)
    expect({ n, k }).toEqual({ n: clustered.n, k: clustered.k })
    expect(designEffect).toBeCloseTo(clustered.designEffect, 9)
    expect(effectiveN).toBeCloseTo(clustered.effectiveN, 9)
    for (const [at, bound] of clustered.interval.entries()) expect(interval?.[at]).toBeCloseTo(bound, 9)
    expect(interval?.map(formatRate)).toEqual(['28.8', '75.1'])
    expect(wilsonInterval(k, n)?.map(formatRate)).toEqual(['37.5', '67.1'])
  })

  it.each([
    ['all alerts came true', [1, 1, 1]],
    ['no alert came true', [0, 0, 0]],
    ['the groups are more equal than chance', [1, 0, 1, 0]],
    ['there are no alerts', []],
  ])('has no design effect when %s', (_, ys) => {
    const results = ys.map((y, index) => ({ group: Math.floor(index / 2), isTrue: y === 1 }))
    expect(computeClusteredRate(results)).toMatchObject({ designEffect: 1, effectiveN: ys.length })
  })
})

describe('createEpisodeStartCheck', () => {
  const createPrediction = (change: Partial<Prediction>, seconds: number): Prediction => ({
    metric: 'maxExcursion',
    comparison: 'gte',
    threshold: 1,
    venue: 'binance',
    market: 'BTCUSDT',
    candleSeconds: 60,
    startsAt: new Date(seconds * 1000).toISOString(),
    horizonSeconds: 3600,
    resolveBy: '2026-03-02T14:51:00.000Z',
    ...change,
  })

  it('returns the episodes of the published test vectors', () => {
    const isFirst = createEpisodeStartCheck()
    const firstIndexes = episodes.predictions.flatMap(([series, start, horizonSeconds], index) => {
      const [venue = '', market = ''] = String(series).split(' ')
      return isFirst(createPrediction({ venue, market, horizonSeconds: Number(horizonSeconds) }, Number(start)))
        ? index
        : []
    })
    expect(firstIndexes).toEqual(episodes.firstOfEpisode)
  })

  it('starts an episode when the horizon of the first alert of the previous episode has ended', () => {
    const isFirst = createEpisodeStartCheck()
    expect([0, 3000, 3600, 6000, 7200].map((start) => isFirst(createPrediction({}, start)))).toEqual([
      true,
      false,
      true,
      false,
      true,
    ])
  })

  it('separates series by metric, market and other market', () => {
    const isFirst = createEpisodeStartCheck()
    const otherMarket = { venue: 'okx', market: 'A' }
    const changes = [
      {},
      { metric: 'volume' },
      { market: 'A' },
      { other: otherMarket },
      { other: { ...otherMarket, market: 'B' } },
    ] as const
    expect(changes.map((change) => isFirst(createPrediction(change, 0)))).toEqual(changes.map(() => true))
    expect(changes.map((change) => isFirst(createPrediction(change, 60)))).toEqual(changes.map(() => false))
  })
})

describe('formatShare', () => {
  it.each([
    [0, 7, '0.0'],
    [7, 7, '100.0'],
    [1, 3, '33.3'],
    [1, 2000, '0.1'],
    [3, 2000, '0.2'],
    [333, 2000, '16.7'],
    [1, 2001, '0.0'],
  ])('formats %i of %i as %s percent, rounded half up', (count, of, text) => {
    expect(formatShare(count, of)).toBe(text)
  })
})
