import { describe, expect, it } from 'vitest'
import { createPrediction, getCandles, testStartSeconds } from '../../test/support/test-record.ts'
import { type CandleSource, compareCandles, formatDay, getDaySpan } from './candle-source.ts'
import type { Candle } from './candles.ts'

const prediction = createPrediction(testStartSeconds)
const movedCandles = getCandles(prediction, 30)
const flatCandles = getCandles(prediction, 60)
const earlierCandles = getCandles(createPrediction(testStartSeconds - 3900), 60)
const laterCandles = getCandles(createPrediction(testStartSeconds + 3900), 60)
const createSource = (candles: readonly Candle[] | null): CandleSource => ({ isArchive: true, read: () => candles })
const createLists = (market: readonly Candle[], other: readonly Candle[] | null = null) => ({ market, other })

describe('compareCandles', () => {
  it.each<[comparison: string, name: string, candles: readonly Candle[] | null]>([
    ['not-compared', 'the archive has no file', null],
    ['other-verdict', 'the price did not move', flatCandles],
    ['other-verdict', 'the candles of the archive give void', []],
    ['same-verdict', 'a price differs', getCandles(prediction, 31)],
    ['same-verdict', 'a candle is missing', movedCandles.slice(0, -1)],
    ['equal', 'all candles are equal', movedCandles],
    [
      'equal',
      'trailing zeros differ',
      movedCandles.map(([at, o, h, l, c, volume]) => [at, `${o}.0`, h, l, c, volume] as const),
    ],
    ['equal', 'the archive has candles outside the window', [...earlierCandles, ...movedCandles, ...laterCandles]],
  ])('returns %s when %s', (comparison, _, candles) => {
    expect(compareCandles(prediction, createLists(movedCandles), 'came-true', createSource(candles))).toBe(comparison)
  })

  it('returns same-verdict when the message lacks a candle', () => {
    const incompleteLists = createLists(movedCandles.slice(0, -1))
    expect(compareCandles(prediction, incompleteLists, 'came-true', createSource(movedCandles))).toBe('same-verdict')
  })

  it('reads only one day for a window that ends at midnight', () => {
    const last = createPrediction(testStartSeconds - (testStartSeconds % 86_400) - 3600)
    const candles = getCandles(last, 30)
    const oneDay: CandleSource = { isArchive: true, read: (_, day) => (day === '2026-03-01' ? candles : null) }
    expect(compareCandles(last, createLists(candles), 'came-true', oneDay)).toBe('equal')
  })

  it('reads both days of a window over midnight', () => {
    const midnight = testStartSeconds - (testStartSeconds % 86_400)
    const latePrediction = createPrediction(midnight - 1800)
    const candles = getCandles(latePrediction, 30)
    const days: string[] = []
    const source: CandleSource = {
      isArchive: true,
      read: ({ venue, market }, day) => {
        days.push(`${venue} ${market} ${day}`)
        return candles.filter(([openTime]) => formatDay(openTime) === day)
      },
    }
    expect(compareCandles(latePrediction, createLists(candles), 'came-true', source)).toBe('equal')
    expect(days).toEqual(['binance BTCUSDT 2026-03-01', 'binance BTCUSDT 2026-03-02'])
    const oneDay: CandleSource = { isArchive: true, read: (_, day) => (day === '2026-03-01' ? candles : null) }
    expect(compareCandles(latePrediction, createLists(candles), 'came-true', oneDay)).toBe('not-compared')
  })

  it('compares both markets of a spread', () => {
    const otherMarket = { venue: 'okx', market: 'BTC-USDT' }
    const spreadPrediction = createPrediction(testStartSeconds, { metric: 'spread', other: otherMarket })
    const createSpreadSource = (otherMarketCandles: readonly Candle[] | null): CandleSource => ({
      isArchive: true,
      read: ({ venue }) => (venue === 'okx' ? otherMarketCandles : movedCandles),
    })
    const compareSpread = (otherMarketCandles: readonly Candle[] | null) =>
      compareCandles(
        spreadPrediction,
        createLists(movedCandles, flatCandles),
        'came-true',
        createSpreadSource(otherMarketCandles),
      )
    expect(compareSpread(flatCandles)).toBe('equal')
    expect(compareSpread(movedCandles)).toBe('other-verdict')
    expect(compareSpread(null)).toBe('not-compared')
  })
})

describe('spanOfDay', () => {
  it('is the inverse of formatDay', () => {
    const { from, until } = getDaySpan('2026-03-02')
    expect([formatDay(from - 1), formatDay(from), formatDay(until - 1), formatDay(until)]).toEqual([
      '2026-03-01',
      '2026-03-02',
      '2026-03-02',
      '2026-03-03',
    ])
  })
})
