import { createEngine, type Overview } from '@tocsin/engine'
import { engineStatus, statusLimits } from '@tocsin/protocol'
import { expect, test } from 'vitest'
import { getPrediction } from '../test/fake-engine.ts'
import { createParts } from './parts.ts'
import { readSettings } from './settings.ts'
import type { MarketStatus } from './sources/market-feed.ts'
import type { SourceStatus } from './sources/venue-source.ts'
import { createStatusMessage, type StatusMessageInput } from './status-message.ts'

const nowMs = Date.parse('2026-03-02T14:31:00.000Z')
const settings = readSettings({ ENGINE_MARKETS: 'binance:BTC/USDT', ENGINE_DATA: '/tmp/none' }, [])

const createMarket = (change: Partial<MarketStatus> = {}): MarketStatus => ({
  market: 'binance:BTC/USDT',
  newest: { number: 12, at: nowMs - 80 },
  trades: 5,
  lagMs: 81.4,
  gapsFilled: 1,
  tradesFilled: 2,
  gapsLost: 3,
  isCatchingUp: false,
  refused: { 'bad-price': 2 },
  ...change,
})
const createSource = (change: Partial<SourceStatus> = {}): SourceStatus => ({
  venue: 'binance',
  state: 'connected',
  connections: 1,
  lastEnd: null,
  rejected: null,
  refused: { 'not-json': 1 },
  markets: [createMarket()],
  ...change,
})
const createMessage = (change: Partial<StatusMessageInput> = {}) =>
  createStatusMessage({
    run: '00ff00ff00ff00ff',
    settings,
    model: createParts(null).model,
    startedAtMs: nowMs - 60_000,
    nowMs,
    setBackMs: 0,
    eventTime: nowMs - 1_000,
    counts: { alerts: 1, leftOut: 0, tooLarge: 0 },
    messages: { kept: 4, waiting: 3, overdueOutcomes: 0 },
    products: 1,
    sources: [createSource()],
    overview: createEngine().overview(),
    predictions: [],
    outcomeTimeMs: nowMs,
    ...change,
  })

/**
 * Creates an overview in which every asset has three digits in each count. This is more than
 * cool-downs allow in a week.
 */
function createLargestOverview(assets: number): Overview {
  const { triedThresholds, thresholds } = createEngine().overview()
  const counts = triedThresholds.map(() => 999)
  return {
    triedThresholds,
    thresholds,
    days: Array.from({ length: 7 }, (_, day) => ({ start: nowMs - day * 86_400_000, minutes: 1_440 })),
    assets: Array.from({ length: assets }, (_, index) => ({
      asset: `${'A'.repeat(12)}${index}/USDT`,
      alerts: Array.from({ length: 7 }, () => 999),
      criticalAt: nowMs,
      highAt: nowMs,
      peaks: { price: counts, volume: counts, volatility: counts, marketWide: counts },
    })),
  }
}

test('statusMessage: is accepted by the engineStatus schema and contains the state of messages, sources and markets', () => {
  const message = createMessage()
  expect(engineStatus.parse(message)).toEqual(message)
  expect(message).toMatchObject({
    mode: 'live',
    messages: { waiting: 3, leftOut: 0 },
    sources: [{ venue: 'binance', refused: 3 }],
    markets: [{ market: 'binance:BTC/USDT', lagMs: 81, gapsFilled: 1, gapsLost: 3, newestTradeAt: expect.any(String) }],
    thresholds: { price: 2.7, volume: 2.8, volatility: 2.2, marketWide: 2.9 },
  })
})

test('statusMessage: stays within the limits when there are more markets than it may name', () => {
  const markets = Array.from({ length: 100 }, (_, index) =>
    createMarket({ market: `binance-usdm:${'A'.repeat(20)}${index}/USDT` }),
  )
  const message = createMessage({ sources: [createSource({ markets })], overview: createLargestOverview(100) })
  expect(engineStatus.safeParse(message).error).toBeUndefined()
  expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(statusLimits.bytes)
  expect(message.leftOut).toEqual({ markets: 60, assets: 59 })
})

test.each([
  ['control characters and bidirectional overrides', 'a\u0000b\n\u202ec', 'a b  c'],
  ['half of a surrogate pair', 'a\ud83d', 'a'],
  ['a surrogate pair at the maximum length', `${'a'.repeat(199)}😀`, 'a'.repeat(199)],
  ['no visible character', ' \n ', '?'],
  ['markup, which stays unchanged', '<img src=x>', '<img src=x>'],
])('statusMessage: sends the text of an exchange as one line when it has %s', (_what, exchangeText, sentText) => {
  const message = createMessage({ sources: [createSource({ rejected: exchangeText, lastEnd: exchangeText })] })
  expect(engineStatus.safeParse(message).error).toBeUndefined()
  expect(message.sources[0]).toMatchObject({ rejected: sentText, lastEnd: sentText })
})

test('statusMessage: reports a lag of 0 for a trade from the future, and accepts a market without trades', () => {
  const message = createMessage({ sources: [createSource({ markets: [createMarket({ lagMs: -40, newest: null })] })] })
  expect(message.markets[0]).toMatchObject({ lagMs: 0, newestTradeAt: null })
  expect(engineStatus.safeParse(message).error).toBeUndefined()
})

test.each([
  ['open', -1, { open: 1, due: 0, overdue: 0 }],
  ['due', 0, { open: 0, due: 1, overdue: 0 }],
  ['due', 900_000, { open: 0, due: 1, overdue: 0 }],
  ['overdue', 900_001, { open: 0, due: 0, overdue: 1 }],
])('statusMessage: counts a prediction as %s when its horizon ended %d ms ago', (_state, agoMs, predictions) => {
  // The horizon is 300 s, and the outcome may come up to 15 minutes later.
  const prediction = getPrediction('binance', 'BTC/USDT', nowMs)
  const outcomeTimeMs = Date.parse(prediction.startsAt) + 300_000 + agoMs
  expect(createMessage({ predictions: [prediction], outcomeTimeMs }).predictions).toEqual(predictions)
})
