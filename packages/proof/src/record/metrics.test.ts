import { describe, expect, it } from 'vitest'
import vectors from '../vectors/predictions.json'
import { evaluatePrediction, evaluateWitnessed, listMissingMinutes, parseCandleLists } from './metrics.ts'
import { computeHorizon, type Prediction, parseForecast } from './prediction.ts'

/** Parses a prediction of the test vectors, after wrapping it in a signal. */
function readPrediction(prediction: unknown): Prediction {
  const model = { name: 'm', version: '1', settingsHash: `0x${'22'.repeat(32)}` }
  const forecast = parseForecast({ observedAt: '2026-03-02T14:30:30.000Z', prediction, model }, 'feed')
  if (!forecast) throw new Error('The vector has no prediction')
  return forecast.prediction
}

const start = Date.parse('2026-03-02T14:31:00.000Z') / 1000
const usualPrediction = {
  metric: 'maxExcursion',
  comparison: 'gte',
  threshold: 1.4,
  venue: 'binance',
  market: 'BTCUSDT',
  candleSeconds: 60,
  startsAt: '2026-03-02T14:31:00.000Z',
  horizonSeconds: 300,
  resolveBy: '2026-03-02T14:51:00.000Z',
}
/** Creates candles from one minute before `start` on. Null means that a minute has no candle. */
const createFlatCandles = (...closes: (string | null)[]) =>
  closes.flatMap((close, index) =>
    close === null ? [] : [[start + 60 * (index - 1), close, close, close, close, '1']],
  )
const hundredCandles = createFlatCandles('100', '100', '100', '100', '100', '100')

describe('parseForecast and parseCandleLists refuse', () => {
  const cases: Record<string, () => unknown> = {
    'threshold is text': () => readPrediction({ ...usualPrediction, threshold: '1.4' }),
    'threshold zero': () => readPrediction({ ...usualPrediction, threshold: 0 }),
    'threshold below 0.000001': () => readPrediction({ ...usualPrediction, threshold: 1e-7 }),
    'threshold infinite': () => readPrediction({ ...usualPrediction, threshold: Number.POSITIVE_INFINITY }),
    '13 decimals': () => readPrediction({ ...usualPrediction, threshold: 0.1234567890123 }),
    'candle twice': () => readCandles([...hundredCandles, ...hundredCandles.slice(-1)]),
    'candles unsorted': () => readCandles([...hundredCandles].reverse()),
    'candle after the horizon': () => readCandles([...hundredCandles, [start + 300, '1', '1', '1', '1', '1']]),
    'candle between minutes': () => readCandles([[start + 1, '1', '1', '1', '1', '1']]),
    'close above high': () => readCandles([[start, '1', '1', '1', '2', '1']]),
    'price zero': () => readCandles([[start, '0', '0', '0', '0', '1']]),
    'price as a number': () => readCandles([[start, 1, 1, 1, 1, 1]]),
    'price in exponent form': () => readCandles([[start, '1e2', '1e2', '1e2', '1e2', '1']]),
    'unknown metric': () => readPrediction({ ...usualPrediction, metric: 'profit' }),
  }
  const readCandles = (market: unknown) => parseCandleLists(readPrediction(usualPrediction), market, undefined)

  it.each(vectors.refused)('a prediction or candles of the test vectors: $says', ({ says, reason }) => {
    expect(reason).not.toBeNull()
    expect(cases[says]).toThrow()
  })

  it('a prediction of a spread without candles of the other market', () => {
    const prediction = readPrediction({
      ...usualPrediction,
      metric: 'spread',
      other: { venue: 'okx', market: 'BTC-USDT' },
    })
    expect(() => parseCandleLists(prediction, hundredCandles, undefined)).toThrow('The candles are not a list')
  })
})

describe('evaluatePrediction', () => {
  it.each(vectors.measure)(
    'returns the result of test vector $name: $says',
    ({ prediction: value, candles, otherCandles, ...expected }) => {
      const prediction = readPrediction(value)
      const lists = parseCandleLists(prediction, candles, otherCandles)
      const { verdict, measured, voidReason } = expected
      expect(evaluatePrediction(prediction, lists)).toEqual({ verdict, measured, voidReason })
    },
  )

  it('gives missing candles as the void reason even if the reference is missing too', () => {
    const prediction = readPrediction(usualPrediction)
    const candles = parseCandleLists(prediction, createFlatCandles(null, '100', null, null, '100', '100'), undefined)
    expect(evaluatePrediction(prediction, candles)).toMatchObject({ verdict: 'void', voidReason: 'missing-candles' })
  })

  it('needs no reference for volume and spread', () => {
    const candles = hundredCandles.slice(1)
    const volume = readPrediction({ ...usualPrediction, metric: 'volume', threshold: 5 })
    expect(evaluatePrediction(volume, parseCandleLists(volume, candles, null))).toMatchObject({ measured: '5' })
    const otherMarket = { venue: 'binance', market: 'BTCUSD' }
    const spreadPrediction = readPrediction({
      ...usualPrediction,
      metric: 'spread',
      threshold: 0.1,
      other: otherMarket,
    })
    const outcome = evaluatePrediction(spreadPrediction, parseCandleLists(spreadPrediction, candles, candles))
    expect(outcome).toEqual({ verdict: 'did-not', measured: '0', voidReason: null })
  })

  it('is void when the two markets of a spread lack different minutes', () => {
    const other = { venue: 'binance', market: 'BTCUSD' }
    const prediction = readPrediction({ ...usualPrediction, metric: 'spread', threshold: 0.1, other })
    const firstCandles = createFlatCandles('100', null, '100', '100', '100', '100')
    const secondCandles = createFlatCandles('100', '100', null, '100', '100', '100')
    const candles = parseCandleLists(prediction, firstCandles, secondCandles)
    expect(evaluatePrediction(prediction, candles).voidReason).toBe('missing-candles')
    expect(listMissingMinutes(prediction, candles)).toEqual([start, start + 60])
  })
})

describe('evaluateWitnessed', () => {
  it.each(vectors.witnessed)(
    'returns the result of test vector $name',
    ({ prediction: value, candles, blockTime, witnessed, measured, verdict }) => {
      const prediction = readPrediction(value)
      const lists = parseCandleLists(prediction, candles, undefined)
      expect(evaluateWitnessed(prediction, lists, blockTime * 1000)).toEqual({ isTrue: witnessed, measured })
      expect(evaluatePrediction(prediction, lists).verdict).toBe(verdict)
    },
  )

  it.each([
    ['an anchor at the end of the horizon', 300, null],
    ['an anchor in the last minute of the horizon', 240, '1'],
    ['no candle in the five minutes before the anchor', 0, null],
  ])('is not true if the candles around the anchor do not prove the move: %s', (name, seconds, measured) => {
    const prediction = readPrediction(usualPrediction)
    const rows = name.startsWith('no')
      ? createFlatCandles(null, '100', '110', '110', '110', '110')
      : createFlatCandles('1', '1', '1', '1', '100', '101')
    const lists = parseCandleLists(prediction, rows, undefined)
    const { until } = computeHorizon(prediction)
    expect(until).toBe(start + 300)
    expect(evaluateWitnessed(prediction, lists, (start + seconds) * 1000)).toEqual({ isTrue: false, measured })
  })

  it('measures from the start of the horizon if the anchor is earlier, and is true if the threshold is reached', () => {
    const prediction = readPrediction(usualPrediction)
    const rows = [
      [start - 120, '90', '90', '90', '90', '1'],
      ...createFlatCandles('100', '101.4', '100', '100', '100', '100'),
    ]
    const lists = parseCandleLists(prediction, rows, undefined)
    expect(evaluateWitnessed(prediction, lists, (start - 90) * 1000)).toEqual({ isTrue: true, measured: '1.4' })
  })
})
