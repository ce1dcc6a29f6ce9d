import type { AlertOutcome } from '@tocsin/protocol'
import { expect, test } from 'vitest'
import { formatAnomalyType, type Prediction } from './prediction-names.ts'
import { formatExpectation, formatMeasuredExpectation, formatShortClaim } from './prediction-texts.ts'

const movePrediction: Prediction = {
  metric: 'maxExcursion',
  comparison: 'gte',
  threshold: 1.4,
  venue: 'binance',
  market: 'BTCUSDT',
  candleSeconds: 60,
  startsAt: '2026-03-02T14:31:00.000Z',
  horizonSeconds: 3600,
  resolveBy: '2026-03-02T15:46:00.000Z',
}
const spreadPrediction: Prediction = {
  ...movePrediction,
  metric: 'spread',
  threshold: 0.65,
  venue: 'coinbase',
  market: 'USDC-USD',
  other: { venue: 'kraken', market: 'USDC/USD' },
}
const reference = '61204.11'
const berlin = { timeZone: 'Europe/Berlin', hourCycle: '24' } as const

test.each<[prediction: Prediction, options: Parameters<typeof formatExpectation>[1], sentence: string]>([
  [
    movePrediction,
    { reference },
    'Expects a further move of 1.40% or more, up or down, within 60 min from 61,204.11 at 14:31:00',
  ],
  [movePrediction, {}, 'Expects a further move of 1.40% or more, up or down, within 60 min from the price at 14:31:00'],
  [
    movePrediction,
    { reference: null, style: berlin },
    'Expects a further move of 1.40% or more, up or down, within 60 min from the price at 15:31:00',
  ],
  [
    { ...movePrediction, horizonSeconds: 300 },
    { reference },
    'Expects a further move of 1.40% or more, up or down, within 5 min from 61,204.11 at 14:31:00',
  ],
  [
    { ...movePrediction, horizonSeconds: 21_600 },
    { reference },
    'Expects a further move of 1.40% or more, up or down, within 6 h from 61,204.11 at 14:31:00',
  ],
  [
    { ...movePrediction, horizonSeconds: 5400 },
    { reference },
    'Expects a further move of 1.40% or more, up or down, within 90 min from 61,204.11 at 14:31:00',
  ],
  [
    { ...movePrediction, metric: 'volume', threshold: 1250.5, venue: 'binance-usdm' },
    {},
    'Expects a volume of 1,251 or more in BTCUSDT on Binance USD-M within 60 min from 14:31:00',
  ],
  [
    { ...movePrediction, metric: 'realisedVariance', threshold: 0.05, venue: 'okx', market: 'BTC-USDT' },
    {},
    'Expects a volatility of 0.22% or more in BTC-USDT on OKX within 60 min from 14:31:00',
  ],
  [
    spreadPrediction,
    {},
    'Expects a spread of 0.65% or more between USDC-USD on Coinbase and USDC/USD on Kraken within 60 min from 14:31:00',
  ],
  [
    { ...spreadPrediction, venue: 'simulated', other: { venue: 'my-venue', market: 'X' } },
    {},
    'Expects a spread of 0.65% or more between USDC-USD on the simulated market and X on my-venue within 60 min from 14:31:00',
  ],
])('formatExpectation: describes %j with the options %j', (prediction, options, sentence) => {
  expect(formatExpectation(prediction, options)).toBe(sentence)
})

test.each<[prediction: Prediction, verdict: AlertOutcome['verdict'], measured: string | null, sentence: string]>([
  [
    movePrediction,
    'came-true',
    '1.460457475813',
    'Expected a further move of 1.40% or more, up or down, within 60 min from 61,204.11 at 14:31:00; measured 1.46%',
  ],
  [
    movePrediction,
    'did-not',
    '1.399',
    'Expected a further move of 1.400% or more, up or down, within 60 min from 61,204.11 at 14:31:00; measured 1.399%',
  ],
  [
    movePrediction,
    'void',
    null,
    'Expected a further move of 1.40% or more, up or down, within 60 min from 61,204.11 at 14:31:00',
  ],
  [
    { ...movePrediction, metric: 'volume', threshold: 12.3 },
    'came-true',
    '12.3',
    'Expected a volume of 12.30 or more in BTCUSDT on Binance within 60 min from 14:31:00; measured 12.30',
  ],
])(
  'formatMeasuredExpectation: describes %j, verdict %s, measured %s',
  (prediction, verdict, measuredAmount, sentence) => {
    expect(formatMeasuredExpectation(prediction, { verdict, measured: measuredAmount }, { reference })).toBe(sentence)
  },
)

test.each([
  ['down', -1.46, 'measured 1.46% down'],
  ['up', 1.46, 'measured 1.46% up'],
  ['unknown', null, 'measured 1.46%'],
])('formatMeasuredExpectation: describes a measured move whose direction is %s', (_, greatestMove, words) => {
  const outcome = { verdict: 'came-true', measured: '1.46' } as const
  expect(formatMeasuredExpectation(movePrediction, outcome, { reference, greatest: greatestMove })).toMatch(
    new RegExp(`; ${words}$`),
  )
})

test.each<[prediction: Prediction, asset: string, words: string]>([
  [movePrediction, 'BTC/USDT', 'a further 1.40% or more, up or down, in 60 min'],
  [{ ...movePrediction, metric: 'volume', threshold: 1250 }, 'BTC/USDT', 'a volume of 1,250 BTC or more in 60 min'],
  // No unit is shown if the market is of another asset, or if the asset is not a pair.
  [{ ...movePrediction, metric: 'volume', threshold: 1250 }, 'ETH/USDT', 'a volume of 1,250 or more in 60 min'],
  [{ ...movePrediction, metric: 'volume', threshold: 1250 }, 'BTC', 'a volume of 1,250 or more in 60 min'],
  [spreadPrediction, 'USDC/USD', 'a spread of 0.65% or more in 60 min'],
])('formatShortClaim: describes %j for the asset %s', (prediction, asset, words) => {
  expect(formatShortClaim(prediction, asset)).toBe(words)
})

test.each([
  ['Price move', { ...movePrediction, horizonSeconds: 3600 }, 'Price move, 60 min'],
  ['Price move, 5 min', { ...movePrediction, horizonSeconds: 300 }, 'Price move, 5 min'],
  ['Volume spike', { ...movePrediction, horizonSeconds: 7200 }, 'Volume spike, 2 h'],
  ['', movePrediction, ''],
  ['Price move', undefined, 'Price move'],
])('formatAnomalyType: names the type %j with the prediction %s', (anomalyType, prediction, words) => {
  expect(formatAnomalyType({ anomalyType, prediction })).toBe(words)
})
