import { parseCandles } from '@tocsin/proof'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { expect, test } from 'vitest'
import type { CandleRow } from '../candles.ts'
import type { AnomalyKind } from './anomalies.ts'
import { listings } from './assets.ts'
import { createRandom } from './random.ts'
import {
  createCandles,
  createSimulatedMarket,
  listTicks,
  type SimulatedMinute,
  toCandleRow,
} from './simulated-market.ts'

const startsAt = Date.parse('2026-03-02T00:00:00.000Z')

/** The market never goes live, so only the assets with `isEarly` trade. */
const liveAt = Number.POSITIVE_INFINITY

function getMinutes(seed: number, count: number): SimulatedMinute[] {
  const market = createSimulatedMarket({ seed, startsAt, liveAt })
  return Array.from({ length: count }, () => market.next())
}

/** Converts candles to the form in which the exchanges publish them. */
const getRows = (minute: SimulatedMinute): (CandleRow | null)[] =>
  createCandles(minute).map((candle, index) => {
    const asset = listings[index]?.asset
    return candle && asset ? toCandleRow(asset, minute.at, candle) : null
  })

test('random: samples have the expected moments of the uniform, exponential and normal distributions', () => {
  const random = createRandom(18)
  const drawMean = (draw: () => number) =>
    Array.from({ length: 20_000 }, draw).reduce((sum, value) => sum + value / 20_000, 0)
  expect(drawMean(random.uniform)).toBeCloseTo(0.5, 1)
  expect(drawMean(random.exponential)).toBeCloseTo(1, 1)
  expect(drawMean(random.normal)).toBeCloseTo(0, 1)
  expect(drawMean(() => random.normal() ** 2)).toBeCloseTo(1, 1)
  expect(drawMean(() => random.normal() ** 4)).toBeCloseTo(3, 0)
})

test('simulated market: is the same with the same seed and start, and differs with another seed', () => {
  expect(getMinutes(18, 60)).toEqual(getMinutes(18, 60))
  expect(getMinutes(18, 60)).not.toEqual(getMinutes(19, 60))
  // The fixed candle detects changes of the price process, after which running demos would continue
  // with other prices.
  const [minute] = getMinutes(18, 1)
  expect(minute && getRows(minute)[0]?.join(' ')).toBe('1772409600 61191.87 61215.04 61191.87 61199.03 0.21527')
})

test('simulated market: trade numbers have no gaps, and trades are within their minute and in time order', () => {
  const minutes = getMinutes(7, 300)
  for (const index of listings.keys()) {
    const trades = minutes.flatMap((minute) => minute.trades[index] ?? [])
    expect(trades.map(({ number }) => number)).toEqual(trades.map((_, index) => index + 1))
    expect(trades.every(({ at }, position) => at >= (trades[position - 1]?.at ?? startsAt))).toBe(true)
    expect(trades.every(({ price, amount }) => price > 0 && amount > 0)).toBe(true)
  }
  for (const { at: start, trades } of minutes) {
    expect(trades.flat().every(({ at }) => at >= start && at < start + MINUTE_MS)).toBe(true)
  }
})

test('simulated market: candles are the same whether generated directly or computed from trades', () => {
  const market = createSimulatedMarket({ seed: 7, startsAt, liveAt })
  const candles = Array.from({ length: 120 }, () => market.nextCandles())
  expect(candles).toEqual(getMinutes(7, 120).map(createCandles))
})

test('simulated market: publishes valid candles whose prices and volume equal those of its ticks', () => {
  for (const minute of getMinutes(7, 120)) {
    const ticks = listTicks(minute)
    expect(ticks.map(({ at }) => at)).toEqual(ticks.map(({ at }) => at).sort((a, b) => a - b))
    for (const [index, row] of getRows(minute).entries()) {
      const marketTicks = ticks.filter(({ market }) => market === listings[index]?.market)
      if (!row) {
        expect(marketTicks).toEqual([])
        continue
      }
      parseCandles([row], { from: minute.at / 1_000, until: minute.at / 1_000 + 60 })
      const prices = marketTicks.map(({ price }) => price)
      expect(row.slice(1, 5).map(Number)).toEqual([prices[0], Math.max(...prices), Math.min(...prices), prices.at(-1)])
      expect(Number(row[5])).toBeCloseTo(
        marketTicks.reduce((sum, { amount }) => sum + amount, 0),
        6,
      )
    }
  }
})

/** Number of days. With this seed, they contain every kind of anomaly. */
const days = 8
const longSimulation = createSimulatedMarket({ seed: 4, startsAt, liveAt })
const candles: (CandleRow | null)[][] = Array.from({ length: days * 1_440 }, () => getRows(longSimulation.next()))

/** Returns one column of a market's candles. A minute without a candle is NaN. */
const createColumnReader = (at: number) => {
  const columnCache = new Map<string, number[]>()
  return (market: string): number[] => {
    const index = listings.findIndex((listing) => listing.market === market)
    const values = columnCache.get(market) ?? candles.map((rows) => Number(rows[index]?.[at] ?? Number.NaN))
    columnCache.set(market, values)
    return values
  }
}
const readCloses = createColumnReader(4)
const readVolumes = createColumnReader(5)
const computeMean = (values: readonly number[]) => values.reduce((sum, value) => sum + (value || 0), 0) / values.length

test('simulated market: has clustered volatility, uncorrelated returns and heavier tails than normal returns', () => {
  const closes = readCloses('BTC/USDT')
  const returns = closes.slice(1).map((close, index) => Math.log(close / (closes[index] ?? close)) || 0)
  const computeAutocorrelation = (values: readonly number[], lag: number) => {
    const centre = computeMean(values)
    const computeAutocovariance = (shift: number) =>
      computeMean(values.slice(shift).map((value, index) => (value - centre) * ((values[index] ?? centre) - centre)))
    return computeAutocovariance(lag) / computeAutocovariance(0)
  }
  expect(computeAutocorrelation(returns.map(Math.abs), 10)).toBeGreaterThan(0.1)
  expect(Math.abs(computeAutocorrelation(returns, 5))).toBeLessThan(0.05)
  expect(
    computeMean(returns.map((value) => value ** 4)) / computeMean(returns.map((value) => value ** 2)) ** 2,
  ).toBeGreaterThan(5)
})

test.each<[AnomalyKind, (at: number, minutes: number, market: string) => boolean]>([
  ['jump', (at, minutes, market) => getMove(market, at, minutes) > 0.2],
  ['slide', (at, minutes, market) => getMove(market, at, minutes) > 0.3],
  ['crash', (at, minutes, market) => getMove(market, at, minutes) > 0.5],
  ['pump', (at, _minutes, market) => getMove(market, at, 1) > 5],
  [
    'volume',
    (at, minutes, market) =>
      computeMean(readVolumes(market).slice(at, at + minutes)) > 3 * computeMean(readVolumes(market)),
  ],
  [
    'volatility',
    (at, minutes, market) => getDeviation(market, at, minutes) > 1.5 * getDeviation(market, 0, days * 1_440),
  ],
  ['dislocation', (at, minutes, market) => Math.abs(getGap(market, at + Math.min(minutes, 60))) > 0.5],
  [
    'halt',
    (at, minutes, market) =>
      readCloses(market)
        .slice(at, at + minutes)
        .every(Number.isNaN),
  ],
])('simulated market: most injected anomalies of kind %s are visible in the candles', (kind, isVisible) => {
  const foundAnomalies = longSimulation.anomalies.filter(
    (anomaly) => anomaly.kind === kind && anomaly.at < startsAt + (days - 1) * 86_400_000,
  )
  expect(foundAnomalies.length).toBeGreaterThan(0)
  const quote = kind === 'dislocation' || kind === 'halt' ? 'USD' : 'USDT'
  const visibleAnomalies = foundAnomalies.filter(({ at, minutes, asset }) =>
    isVisible((at - startsAt) / MINUTE_MS, minutes, `${asset ?? 'ETH'}/${quote}`),
  )
  expect(visibleAnomalies.length / foundAnomalies.length).toBeGreaterThan(0.7)
})

test('simulated market: trades all assets from two days before it goes live, and has jumps a minute after going live', () => {
  const twoDays = 2 * 1_440
  const market = createSimulatedMarket({ seed: 5, startsAt, liveAt: startsAt + (twoDays + 1) * MINUTE_MS })
  const minutes = Array.from({ length: twoDays + 3 }, () => market.next())
  const listTradedListings = (someMinutes: readonly SimulatedMinute[]) =>
    listings.filter((_, index) => someMinutes.some(({ trades }) => trades[index]?.length))
  const earlyListings = listings.filter(({ asset }) => asset.isEarly)
  expect([listTradedListings(minutes.slice(0, 1)), listTradedListings(minutes.slice(1))]).toEqual([
    earlyListings,
    [...listings],
  ])
  const first = market.anomalies.filter(({ at, kind }) => kind === 'jump' && at === minutes.at(-1)?.at)
  expect(first.map(({ asset }) => asset)).toEqual(['BTC', 'LINK'])
})

/** Returns the absolute price change in percent over `minutes` minutes from minute `at` on. */
function getMove(market: string, at: number, minutes: number): number {
  const closes = readCloses(market)
  return Math.abs(100 * ((closes[at + minutes - 1] ?? 0) / (closes[at - 1] ?? 1) - 1))
}

/** Returns the mean absolute one-minute log return over `minutes` minutes from minute `at` on. */
function getDeviation(market: string, at: number, minutes: number): number {
  const closes = readCloses(market).slice(at, at + minutes)
  return computeMean(closes.slice(1).map((close, index) => Math.abs(Math.log(close / (closes[index] ?? close)) || 0)))
}

/** Returns by how many percent the price in USD exceeds the price in USDT. */
function getGap(market: string, at: number): number {
  return 100 * ((readCloses(market)[at] ?? 0) / (readCloses(market.replace('USD', 'USDT'))[at] ?? 1) - 1)
}
