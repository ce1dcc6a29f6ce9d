import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { expect, onTestFinished, test } from 'vitest'
import { startExchange, type TestCandle } from '../test/exchange.ts'
import { createManualTime } from '../test/manual-time.ts'
import { startLiveSources } from './live-sources.ts'
import { LostCandles } from './outcomes.ts'

async function createTestBed(venue: 'kraken' | 'coinbase') {
  const exchange = await startExchange(venue)
  const dataDir = mkdtempSync(join(tmpdir(), 'engine-live-'))
  const stop = new AbortController()
  const time = createManualTime()
  const logged: unknown[] = []
  const sources = startLiveSources(
    { markets: [{ venue, name: 'BTC/USD' }], urls: { [venue]: exchange.url }, dataDir },
    { positions: new Map(), eventTime: 0 },
    {
      ...time,
      signal: stop.signal,
      random: () => 0,
      emit() {},
      noteLiveTrade() {},
      log: (message, details) => void (message.startsWith('candles') && logged.push(details)),
    },
  )
  onTestFinished(async () => {
    stop.abort()
    await sources.finished()
    await exchange.close()
    rmSync(dataDir, { recursive: true })
  })
  /**
   * Publishes candles of the last 12 hours, as Kraken does. The price of a candle is its hour of
   * the day plus 1.
   */
  const publish = () => {
    const now = Math.floor(time.nowMs() / 60_000) * 60
    exchange.candles = Array.from({ length: 719 }, (_, index): TestCandle => {
      const openTime = now - 60 * (719 - index)
      const price = String(1 + (Math.floor(openTime / 3_600) % 24))
      return [openTime, price, price, price, price, '1']
    })
  }
  return { exchange, dataDir, time, logged, sources, publish }
}

test('candles of a day: are complete when the exchange publishes only the newest 12 hours', async () => {
  const { exchange, dataDir, time, logged, sources, publish } = await createTestBed('kraken')
  const day = Date.parse('2026-03-03T00:00:00Z')
  const [from, to] = [day / 1_000, day / 1_000 + 86_400]
  time.advance(day + 3 * HOUR_MS - time.nowMs())
  for (let hour = 3; hour < 24; hour += 1) {
    publish()
    exchange.rest = hour === 11 ? { status: 503 } : {}
    await sources.recordCandles()
    time.advance(HOUR_MS)
  }
  publish()
  // The engine records the last candle of the day 6 s after midnight at the earliest.
  time.advance(6_000)
  const rows = await sources.dayCandles('kraken', 'XBTUSD', from, to)
  expect(rows.map(([openTime]) => openTime)).toEqual(Array.from({ length: 1_440 }, (_, minute) => from + 60 * minute))
  expect([rows[0]?.[4], rows.at(-1)?.[4]]).toEqual(['1', '24'])
  expect(logged).toEqual([{ market: 'kraken:BTC/USD', error: 'The exchange returned 503' }])
  // Candles are requested every four hours, and one hour after the failed request.
  expect(exchange.requests.filter((path) => path.includes('OHLC')).length).toBeLessThan(10)
  time.advance(96 * HOUR_MS)
  publish()
  await sources.recordCandles()
  expect(readdirSync(dataDir).filter((name) => name.includes('2026-03-03'))).toEqual([])
})

test('candles of an outcome: come from the engine’s recording when the exchange no longer publishes them', async () => {
  const { exchange, time, sources, publish } = await createTestBed('kraken')
  const stoppedAtSeconds = time.nowMs() / 1_000
  publish()
  await sources.recordCandles()
  time.advance(11 * HOUR_MS)
  publish()
  const minuteWithoutTrade = stoppedAtSeconds + 600
  exchange.candles = exchange.candles.filter(([openTime]) => openTime !== minuteWithoutTrade)
  const [from, to] = [stoppedAtSeconds - 5_400, stoppedAtSeconds + 1_800]
  expect((await sources.candles('kraken', 'XBTUSD', from, to)).length).toBeLessThan(100)
  const minutes = Array.from({ length: 120 }, (_, minute) => from + 60 * minute)
  const rows = await sources.outcomeCandles('kraken', 'XBTUSD', from, to)
  expect(rows.map(([openTime]) => openTime)).toEqual(minutes.filter((minute) => minute !== minuteWithoutTrade))
  // While the exchange still publishes all candles of a horizon, the recording is not needed.
  const recentCandles = await sources.outcomeCandles('kraken', 'XBTUSD', to, to + 7_200)
  expect(recentCandles).toHaveLength(120)
})

test('candles of an outcome: are lost when the exchange and the recording together lack some of them', async () => {
  const { exchange, time, sources, publish } = await createTestBed('kraken')
  const stoppedAtSeconds = time.nowMs() / 1_000
  publish()
  await sources.recordCandles()
  time.advance(13 * HOUR_MS)
  publish()
  const countRequests = () => exchange.requests.filter((path) => path.includes('OHLC')).length
  const requests = countRequests()
  const readOutcomeCandles = () =>
    sources.outcomeCandles('kraken', 'XBTUSD', stoppedAtSeconds - 5_400, stoppedAtSeconds + 1_800)
  await expect(readOutcomeCandles()).rejects.toThrow(LostCandles)
  await sources.recordCandles()
  await expect(readOutcomeCandles()).rejects.toThrow(LostCandles)
  expect(countRequests(), 'only the record requests candles').toBe(requests + 1)
  // The first recording lacks the last minute before `stoppedAtSeconds`, because its candle was not
  // complete yet.
  const readCandlesBefore = (to: number) => sources.outcomeCandles('kraken', 'XBTUSD', stoppedAtSeconds - 3_600, to)
  await expect(readCandlesBefore(stoppedAtSeconds)).rejects.toThrow(LostCandles)
  expect(await readCandlesBefore(stoppedAtSeconds - 60)).toHaveLength(59)
})

test('candles of an outcome: are reported as lost when the exchange stops publishing them while the request waits', async () => {
  const { time, sources, publish } = await createTestBed('kraken')
  const from = Math.floor(time.nowMs() / 60_000) * 60 - 718 * 60
  publish()
  const rows = sources.outcomeCandles('kraken', 'XBTUSD', from, from + 3_600)
  time.advance(HOUR_MS)
  publish()
  await expect(rows).rejects.toThrow(LostCandles)
})

test('candles of a day: come from the exchange when it publishes past candles', async () => {
  const { exchange, time, sources, publish, dataDir } = await createTestBed('coinbase')
  publish()
  await sources.recordCandles()
  const to = Math.floor(time.nowMs() / 60_000) * 60
  expect(await sources.dayCandles('coinbase', 'BTC-USD', to - 3_600, to)).toHaveLength(60)
  expect([exchange.requests.length, readdirSync(dataDir)]).toEqual([1, []])
})

test('exchange time: is the newest Date header of an exchange, and does not depend on our clock', async () => {
  const { exchange, time, sources, publish } = await createTestBed('coinbase')
  expect(sources.exchangeMs()).toBe(time.nowMs())
  publish()
  const to = Math.floor(time.nowMs() / 60_000) * 60
  for (const date of ['Mon, 02 Mar 2026 12:00:05 GMT', 'Mon, 02 Mar 2026 12:00:04 GMT', 'no date']) {
    exchange.rest = { headers: { date } }
    await sources.candles('coinbase', 'BTC-USD', to - 600, to)
    expect(sources.exchangeMs()).toBe(Date.parse('2026-03-02T12:00:05.000Z'))
  }
})
