import { describe, expect, onTestFinished, test } from 'vitest'
import { startExchange } from '../../test/exchange.ts'
import { startAt, symbols } from '../../test/wire.ts'
import { fetchCandles } from '../candles.ts'
import { type LiveVenue, liveVenues } from '../market.ts'
import { systemScheduler } from '../scheduler.ts'
import { fetchTrades } from './fetch-trades.ts'
import { createRestClient } from './rest-client.ts'
import { venueRest } from './venue-rest.ts'

async function createTestBed(venue: LiveVenue, intervalMs = 0) {
  const exchange = await startExchange(venue)
  const stop = new AbortController()
  let nowMs = startAt
  const waits: number[] = []
  const client = createRestClient(exchange.url.replace('ws:', 'http:'), intervalMs, {
    nowMs: () => nowMs,
    schedule: {
      ...systemScheduler,
      after(delayMs, run) {
        waits.push(delayMs)
        nowMs += delayMs
        run()
        return () => {}
      },
    },
    signal: stop.signal,
  })
  onTestFinished(async () => {
    stop.abort()
    await exchange.close()
  })
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => ({ number: from + index, at: startAt + 10 * (from + index) }))
  return {
    exchange,
    client,
    waits,
    numbers,
    pass(ms: number) {
      nowMs += ms
    },
    fetch: (from: number, to: number, maxPages = 20) =>
      fetchTrades(
        client,
        venueRest[venue],
        symbols[venue].rest,
        { from, to },
        { number: from - 1, at: startAt + 10 * (from - 1) },
        maxPages,
      ),
  }
}

describe.each(liveVenues)('fetching %s trades', (venue) => {
  test.each<[string, { status?: number; body?: string }, RegExp]>([
    ['a server error', { status: 500 }, /returned 500/],
    ['a redirect', { status: 302 }, /./],
    ['a page that is not JSON', { body: '<html>' }, /unknown page/],
    ['a page of another shape', { body: '{"hello":[1]}' }, /unknown page/],
    ['half a page', { body: '[{"id":1,' }, /unknown page/],
    ['a page that is too large', { body: ' '.repeat(4 * 1024 * 1024 + 1) }, /too large/],
  ])('fails when the exchange sends %s', async (_name, restResponse, message) => {
    const { exchange, fetch } = await createTestBed(venue)
    exchange.rest = { ...restResponse, headers: { location: '/' } }
    await expect(fetch(3, 9)).rejects.toThrow(message)
  })

  test('returns the whole range when it takes several pages', async () => {
    const { exchange, numbers, fetch } = await createTestBed(venue)
    exchange.record(...numbers(1, 30))
    exchange.pageLimit = 7
    const { trades, isCovered } = await fetch(3, 25)
    expect(isCovered).toBe(true)
    expect(trades.map(({ number }) => number).sort((a, b) => a - b)).toEqual(numbers(3, 25).map(({ number }) => number))
    expect(trades.find(({ number }) => number === 3)).toEqual({
      symbol: symbols[venue].rest,
      number: 3,
      count: 1,
      at: startAt + 30,
      price: 61204.1,
      amount: 0.015,
      takerSide: 'buy',
    })
  })

  test('returns only the trades that exist when the pages lag behind the stream', async () => {
    const { exchange, numbers, fetch } = await createTestBed(venue)
    exchange.record(...numbers(1, 5))
    const { trades, isCovered } = await fetch(3, 25)
    if (venue === 'binance' || venue === 'kraken') expect(isCovered).toBe(false)
    expect(trades.map(({ number }) => number).sort()).toEqual([3, 4, 5])
  })

  test('stops at the maximum number of pages and reports that the range is not covered', async () => {
    const { exchange, numbers, fetch } = await createTestBed(venue)
    exchange.record(...numbers(1, 30))
    exchange.pageLimit = 2
    expect(await fetch(3, 25, 3)).toMatchObject({ isCovered: false })
    expect(exchange.requests).toHaveLength(3)
  })

  test('leaves out a trade when its price is zero', async () => {
    const { exchange, numbers, fetch } = await createTestBed(venue)
    exchange.record(...numbers(2, 6).map((trade) => (trade.number === 4 ? { ...trade, price: '0' } : trade)))
    const { trades } = await fetch(3, 5)
    expect(trades.map(({ number }) => number).sort()).toEqual([3, 5])
  })
})

test('rest client: keeps the interval between requests when several requests wait', async () => {
  const { exchange, client, waits } = await createTestBed('binance', 500)
  await Promise.all([client.get('/api/v3/trades'), client.get('/api/v3/trades'), client.get('/api/v3/trades')])
  expect(exchange.requests).toHaveLength(3)
  expect(waits).toEqual([500, 500])
})

test('rest client: waits a shorter time after candle requests when the exchange has a higher limit for them', async () => {
  const { client, waits } = await createTestBed('binance', 500)
  const candles = () => fetchCandles(client, venueRest.binance, 'BTCUSDT', 0, 60)
  await Promise.all([candles(), candles(), client.get('/api/v3/trades'), client.get('/api/v3/trades')])
  expect(waits).toEqual([50, 50, 500])
})

test.each([429, 418])(
  'rest client: sends nothing until Retry-After has passed when the exchange responds with status %i',
  async (status) => {
    const { exchange, client, pass } = await createTestBed('binance')
    exchange.rest = { status, headers: { 'retry-after': '7' } }
    await expect(client.get('/api/v3/trades')).rejects.toThrow(`returned ${status}`)
    exchange.rest = {}
    pass(6_999)
    await expect(client.get('/api/v3/trades')).rejects.toThrow('limits requests')
    expect(exchange.requests).toHaveLength(1)
    pass(1)
    await expect(client.get('/api/v3/trades')).resolves.toBe('[]')
  },
)

test('fetching binance trades: falls back to the newest trades when historical trades need a key', async () => {
  const { exchange, numbers, client } = await createTestBed('binance')
  exchange.record(...numbers(1, 30))
  exchange.rest = { status: 401 }
  const keylessClient = {
    ...client,
    get: (path: string) => {
      exchange.rest = path.startsWith('/api/v3/historicalTrades') ? { status: 401 } : {}
      return client.get(path)
    },
  }
  const result = await fetchTrades(
    keylessClient,
    venueRest.binance,
    'BTCUSDT',
    { from: 3, to: 9 },
    { number: 2, at: 0 },
    5,
  )
  expect([result.isCovered, result.trades.length]).toEqual([true, 7])
})
