import {
  type Candle,
  computeWindow,
  evaluatePrediction,
  hashSignal,
  listMissingMinutes,
  type Prediction,
  parseCandleLists,
} from '@tocsin/proof'
import { MINUTE_MS } from '@tocsin/protocol/durations'

/** Creates predictions and their outcome messages in the form that an engine sends. */

export const model = { name: 'engine', version: '1.0.0', settingsHash: `0x${'22'.repeat(32)}` }

/**
 * Creates a prediction for the five minutes from the next whole minute: the price changes by 1 % or
 * more.
 */
export function predictAt(observedAt: Date, change: object = {}): Prediction {
  const startMs = Math.ceil(observedAt.getTime() / MINUTE_MS) * MINUTE_MS
  return {
    metric: 'maxExcursion',
    comparison: 'gte',
    threshold: 1,
    venue: 'binance',
    market: 'BTCUSDT',
    candleSeconds: 60,
    startsAt: new Date(startMs).toISOString(),
    horizonSeconds: 300,
    resolveBy: new Date(startMs + 300_000 + 900_000).toISOString(),
    ...change,
  }
}

/** Creates the JSON text of a signal with a prediction of `predictAt`. */
export function createPredictedSignal(
  id: string,
  observedAt: Date,
  change: object = {},
  prediction: object = {},
): string {
  return JSON.stringify({
    id,
    asset: 'BTC/USDT',
    anomalyType: 'Price move',
    confidence: 43.5,
    regime: 'Turbulent',
    summary: 'Price fell 1.1 % in 5 min',
    priority: 'high',
    observedAt: observedAt.toISOString(),
    prediction: predictAt(observedAt, prediction),
    model,
    ...change,
  })
}

/** Creates candles of the whole window with the price 100. The last one closes at `last`. */
export function createCandles(prediction: Prediction, last: string): Candle[] {
  const { from, until } = computeWindow(prediction)
  return Array.from({ length: (until - from) / 60 }, (_, index): Candle => {
    const close = index === (until - from) / 60 - 1 ? last : '100'
    return [from + index * 60, '100', '200', '50', close, '1.5']
  })
}

/**
 * Creates the outcome message of a signal by evaluating its prediction with these candles. `change`
 * replaces keys of the message.
 */
export function createOutcomeMessage(
  signal: string,
  { last = '101', candles, change = {} }: { last?: string; candles?: Candle[]; change?: object } = {},
): string {
  const { id, prediction }: { id: string; prediction: Prediction } = JSON.parse(signal)
  const marketCandles = candles ?? createCandles(prediction, last)
  const secondCandles = prediction.metric === 'spread' ? createCandles(prediction, '100') : undefined
  const lists = parseCandleLists(prediction, marketCandles, secondCandles)
  return JSON.stringify({
    type: 'outcome',
    id,
    signalHash: hashSignal(signal),
    candles: marketCandles,
    ...(secondCandles ? { otherCandles: secondCandles } : {}),
    missing: listMissingMinutes(prediction, lists),
    ...evaluatePrediction(prediction, lists),
    note: '',
    ...change,
  })
}
