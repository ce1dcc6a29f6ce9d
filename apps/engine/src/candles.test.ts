import { describe, expect, onTestFinished, test } from 'vitest'
import { startExchange, type TestCandle } from '../test/exchange.ts'
import { startAt, symbols } from '../test/wire.ts'
import { fetchCandles, toCandleRow } from './candles.ts'
import { type LiveVenue, liveVenues } from './market.ts'
import { systemScheduler } from './scheduler.ts'
import { createRestClient } from './sources/rest-client.ts'
import { venueRest } from './sources/venue-rest.ts'

const first = startAt / 1_000

async function createTestBed(venue: LiveVenue) {
  const exchange = await startExchange(venue)
  onTestFinished(() => exchange.close())
  const stop = new AbortController()
  const client = createRestClient(exchange.url.replace('ws:', 'http:'), 0, {
    nowMs: Date.now,
    schedule: systemScheduler,
    signal: stop.signal,
  })
  const fetch = (from: number, to: number) => fetchCandles(client, venueRest[venue], symbols[venue].rest, from, to)
  return { exchange, fetch }
}

const createMinuteCandle = (at: number): TestCandle => [
  first + 60 * at,
  '61190.10',
  '61210.000',
  '61180.1',
  '61204.11',
  '12.34500000',
]

describe.each(liveVenues)('%s candles', (venue) => {
  test.each<[string, TestCandle]>([
    ['an open time between two minutes', [first + 30, '1', '1', '1', '1', '1']],
    ['a price of 0', [first, '0', '0', '0', '0', '1']],
    ['a negative price', [first, '-1', '1', '-1', '1', '1']],
    ['a close above the high', [first, '1', '2', '1', '3', '1']],
    ['an open below the low', [first, '1', '3', '2', '3', '1']],
    ['too many digits', [first, '1', '1', '1', '1', `0.${'1'.repeat(19)}`]],
  ])('fail when a candle has %s', async (_name, candle) => {
    const { exchange, fetch } = await createTestBed(venue)
    exchange.candles = [candle]
    await expect(fetch(first - 60, first + 120)).rejects.toThrow(/invalid candle/)
  })

  test('fail when two candles of the same minute differ', async () => {
    const { exchange, fetch } = await createTestBed(venue)
    exchange.candles = [createMinuteCandle(0), [first, '1', '1', '1', '1', '1']]
    await expect(fetch(first, first + 60)).rejects.toThrow(/two candles/)
  })

  test('keep every digit and are in time order when they span several pages', async () => {
    const { exchange, fetch } = await createTestBed(venue)
    const all = Array.from({ length: 370 }, (_, index) => createMinuteCandle(index)).filter((_, at) => at !== 100)
    exchange.candles = all
    expect(await fetch(first, first + 60 * 365)).toEqual(all.slice(0, 364))
  })

  test('leave out minutes outside the requested window when the response contains them', async () => {
    const { exchange, fetch } = await createTestBed(venue)
    exchange.rest = {}
    exchange.candles = [createMinuteCandle(-1), createMinuteCandle(0), createMinuteCandle(1), createMinuteCandle(2)]
    expect(await fetch(first, first + 120)).toEqual([createMinuteCandle(0), createMinuteCandle(1)])
  })
})

test('okx candles: leave out the current minute when it is not confirmed', async () => {
  const { exchange, fetch } = await createTestBed('okx')
  const createOkxRow = (at: number, confirm: string) => [
    String((first + at) * 1_000),
    '1',
    '1',
    '1',
    '1',
    '1',
    '1',
    '1',
    confirm,
  ]
  exchange.rest = { body: JSON.stringify({ code: '0', msg: '', data: [createOkxRow(60, '0'), createOkxRow(0, '1')] }) }
  expect(await fetch(first, first + 120)).toEqual([[first, '1', '1', '1', '1', '1']])
})

test('coinbase candles: are written without an exponent when the response has one', () => {
  expect(toCandleRow([String(first), '1e-7', '1.5e-7', '1e-7', '0.00000012', '1e3'])).toEqual([
    first,
    '0.0000001',
    '0.00000015',
    '0.0000001',
    '0.00000012',
    '1000',
  ])
})
