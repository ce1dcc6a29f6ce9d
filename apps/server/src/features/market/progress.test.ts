import type { Prediction } from '@tocsin/proof'
import type { MarketMessage } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { describe, expect, it } from 'vitest'
import { createMarketBook } from './market-book.ts'
import { measureProgress } from './progress.ts'

const startMs = Date.parse('2026-03-02T14:31:00.000Z')
const iso = (ms: number) => new Date(ms).toISOString()

const prediction: Prediction = {
  ...{ metric: 'maxExcursion', comparison: 'gte', threshold: 1, venue: 'kraken', market: 'XBTUSD' },
  ...{ candleSeconds: 60, startsAt: iso(startMs), horizonSeconds: 600, resolveBy: iso(startMs + 1_500_000) },
}

/**
 * Creates a book with one trade per minute, or no trade for null. The first price belongs to the
 * reference minute, directly before the horizon.
 */
function getBook(prices: readonly (string | null)[], { connectedMs = startMs - MINUTE_MS, market = 'BTC/USD' } = {}) {
  const book = createMarketBook()
  book.connected(connectedMs)
  addTrades(book, market, prices)
  return book
}

function addTrades(book: ReturnType<typeof createMarketBook>, market: string, prices: readonly (string | null)[]) {
  prices.forEach((price, minute) => {
    const at = startMs + (minute - 1) * MINUTE_MS + 30_000
    const tick = { venue: 'kraken', market, number: minute, at, amount: '2', takerSide: 'buy' } as const
    const message: MarketMessage[] = price === null ? [] : [{ type: 'tick', ...tick, price }]
    for (const tickMessage of message) book.apply(tickMessage, at)
  })
}

const risingPrices = ['100', '100.5', '99.2', '101.2', '100', '101.5', '100', '100', '100', '100', '100']
/** Returns the time two seconds after the given number of minutes of the horizon has passed. */
const afterMinutes = (minutes: number) => startMs + minutes * MINUTE_MS + 2_000

describe('progress of an open prediction', () => {
  it.each<[string, Parameters<typeof measureProgress>]>([
    ['the horizon has not begun', [prediction, getBook(risingPrices), startMs - 1]],
    ['no minute has ended', [prediction, getBook(risingPrices), afterMinutes(1) - 1]],
    ['the deadline has passed', [prediction, getBook(risingPrices), startMs + 1_500_001]],
    [
      'the source was connected too late',
      [prediction, getBook(risingPrices, { connectedMs: startMs - 59_999 }), afterMinutes(5)],
    ],
    ['the market is unknown', [prediction, getBook(risingPrices, { market: 'ETH/USD' }), afterMinutes(5)]],
    ['there is no reference', [prediction, getBook([null, ...risingPrices.slice(1)]), afterMinutes(5)]],
    ['too many minutes lack a trade', [prediction, getBook(['100', null, null, '105']), afterMinutes(4)]],
    [
      'the other market is unknown',
      [
        { ...prediction, metric: 'spread', other: { venue: 'kraken', market: 'ETHUSD' } },
        getBook(risingPrices),
        afterMinutes(5),
      ],
    ],
  ])('is absent when %s', (_, [open, book, nowMs]) => {
    expect(measureProgress(open, book, nowMs)).toBeNull()
  })

  it('is absent after a gap, and present for predictions that start later', () => {
    const book = getBook(risingPrices)
    book.apply({ type: 'gap', venue: 'kraken', market: 'BTC/USD', from: 0, to: startMs + MINUTE_MS }, startMs)
    expect(measureProgress(prediction, book, afterMinutes(5))).toBeNull()
    const laterPrediction = { ...prediction, startsAt: iso(startMs + 2 * MINUTE_MS) }
    expect(measureProgress(laterPrediction, book, afterMinutes(5))).toMatchObject({
      reference: '99.2',
      measured: '2.318548387096',
    })
  })

  it.each<[number, string, number | null]>([
    [1, '0.5', null],
    [2, '0.8', null],
    [3, '1.2', 3],
    [4, '1.2', 3],
    [5, '1.5', 3],
    [10, '1.5', 3],
    [20, '1.5', 3],
  ])('after %i minutes reports a largest move of %s %%', (minutes, measured, reached) => {
    expect(measureProgress(prediction, getBook(risingPrices), afterMinutes(minutes))).toEqual({
      reference: '100',
      measured,
      reachedAt: reached === null ? null : iso(startMs + reached * MINUTE_MS),
      until: iso(startMs + Math.min(10, minutes) * MINUTE_MS),
    })
  })

  it('is present until the deadline when the horizon and the time to the deadline are the longest', () => {
    const horizonSeconds = 6 * 3_600
    const longPrediction = { ...prediction, horizonSeconds, resolveBy: iso(startMs + 7 * 3_600_000) }
    const prices = ['100', '102', ...Array<string>(418).fill('100')]
    expect(measureProgress(longPrediction, getBook(prices), afterMinutes(419))).toEqual({
      reference: '100',
      measured: '2',
      reachedAt: iso(startMs + MINUTE_MS),
      until: iso(startMs + 360 * MINUTE_MS),
    })
  })

  it('is the total volume for the metric volume, and the difference of two markets for the metric spread', () => {
    const volumePrediction = { ...prediction, metric: 'volume', threshold: 7 } as const
    expect(measureProgress(volumePrediction, getBook(risingPrices), afterMinutes(5))).toMatchObject({
      reference: null,
      measured: '10',
      reachedAt: iso(startMs + 4 * MINUTE_MS),
    })
    const otherMarket = { venue: 'kraken', market: 'XBTUSDT' }
    const book = getBook(risingPrices)
    addTrades(
      book,
      'BTC/USDT',
      risingPrices.map(() => '100'),
    )
    expect(
      measureProgress({ ...prediction, metric: 'spread', other: otherMarket }, book, afterMinutes(3)),
    ).toMatchObject({
      measured: '1.2',
      reachedAt: iso(startMs + 3 * MINUTE_MS),
    })
  })
})
