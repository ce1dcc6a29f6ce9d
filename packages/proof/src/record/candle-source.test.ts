import { describe, expect, it } from 'vitest'
import { getCandles, predict, testStart } from '../../test/support/test-record.ts'
import { type CandleSource, compareCandles, formatDay, spanOfDay } from './candle-source.ts'
import type { Candle } from './candles.ts'

const prediction = predict(testStart)
const moved = getCandles(prediction, 30)
const flat = getCandles(prediction, 60)
const earlier = getCandles(predict(testStart - 3900), 60)
const later = getCandles(predict(testStart + 3900), 60)
const createSource = (candles: readonly Candle[] | null): CandleSource => ({ isArchive: true, read: () => candles })
const lists = (market: readonly Candle[], other: readonly Candle[] | null = null) => ({ market, other })

describe('compareCandles', () => {
  it.each<[comparison: string, name: string, candles: readonly Candle[] | null]>([
    ['not-compared', 'the archive has no file', null],
    ['other-verdict', 'the price did not move', flat],
    ['other-verdict', 'the archive is void', []],
    ['same-verdict', 'a price differs', getCandles(prediction, 31)],
    ['same-verdict', 'a candle is missing', moved.slice(0, -1)],
    ['equal', 'all candles are equal', moved],
    [
      'equal',
      'trailing zeros differ',
      moved.map(([at, o, h, l, c, volume]) => [at, `${o}.0`, h, l, c, volume] as const),
    ],
    ['equal', 'the archive has candles outside the window', [...earlier, ...moved, ...later]],
  ])('is %s when %s', (comparison, _, candles) => {
    expect(compareCandles(prediction, lists(moved), 'came-true', createSource(candles))).toBe(comparison)
  })

  it('is same-verdict when the message lacks a candle', () => {
    const lacking = lists(moved.slice(0, -1))
    expect(compareCandles(prediction, lacking, 'came-true', createSource(moved))).toBe('same-verdict')
  })

  it('reads one day of a window that ends at midnight', () => {
    const last = predict(testStart - (testStart % 86_400) - 3600)
    const candles = getCandles(last, 30)
    const oneDay: CandleSource = { isArchive: true, read: (_, day) => (day === '2026-03-01' ? candles : null) }
    expect(compareCandles(last, lists(candles), 'came-true', oneDay)).toBe('equal')
  })

  it('reads both days of a window over midnight', () => {
    const midnight = testStart - (testStart % 86_400)
    const late = predict(midnight - 1800)
    const candles = getCandles(late, 30)
    const days: string[] = []
    const source: CandleSource = {
      isArchive: true,
      read: ({ venue, market }, day) => {
        days.push(`${venue} ${market} ${day}`)
        return candles.filter(([openTime]) => formatDay(openTime) === day)
      },
    }
    expect(compareCandles(late, lists(candles), 'came-true', source)).toBe('equal')
    expect(days).toEqual(['binance BTCUSDT 2026-03-01', 'binance BTCUSDT 2026-03-02'])
    const oneDay: CandleSource = { isArchive: true, read: (_, day) => (day === '2026-03-01' ? candles : null) }
    expect(compareCandles(late, lists(candles), 'came-true', oneDay)).toBe('not-compared')
  })

  it('compares both markets of a spread', () => {
    const other = { venue: 'okx', market: 'BTC-USDT' }
    const spread = predict(testStart, { metric: 'spread', other })
    const source = (othersCandles: readonly Candle[] | null): CandleSource => ({
      isArchive: true,
      read: ({ venue }) => (venue === 'okx' ? othersCandles : moved),
    })
    const compare = (othersCandles: readonly Candle[] | null) =>
      compareCandles(spread, lists(moved, flat), 'came-true', source(othersCandles))
    expect(compare(flat)).toBe('equal')
    expect(compare(moved)).toBe('other-verdict')
    expect(compare(null)).toBe('not-compared')
  })
})

describe('spanOfDay', () => {
  it('is the inverse of formatDay', () => {
    const { from, until } = spanOfDay('2026-03-02')
    expect([formatDay(from - 1), formatDay(from), formatDay(until - 1), formatDay(until)]).toEqual([
      '2026-03-01',
      '2026-03-02',
      '2026-03-02',
      '2026-03-03',
    ])
  })
})
