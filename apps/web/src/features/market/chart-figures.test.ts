import { expect, test } from 'vitest'
import type { Prediction } from '../prediction/prediction-names.ts'
import { type CandleRow, createChartRange } from './candles.ts'
import { computeFiguresSince, createChartMarks } from './chart-figures.ts'

const issuedAtMs = Date.parse('2026-03-02T13:58:02.000Z')
const minute = 60_000
const createdAt = new Date(issuedAtMs).toISOString()
const prediction: Prediction = {
  ...{ metric: 'maxExcursion', comparison: 'gte', threshold: 1, venue: 'binance', market: 'ETHUSDT' },
  ...{ candleSeconds: 60, startsAt: '2026-03-02T13:59:00.000Z', horizonSeconds: 3_600 },
  resolveBy: '2026-03-02T15:13:00.000Z',
}
const createAlert = (alertPrediction: Prediction | null) =>
  alertPrediction ? { createdAt, prediction: alertPrediction } : { createdAt }
const toMs = (clock: string) => Date.parse(`2026-03-02T${clock}:00.000Z`)
const createCandle = (clock: string, close: string, high = close, low = close): CandleRow => [
  toMs(clock) / 1_000,
  ...([close, high, low, close, '1'] as const),
]

test.each([
  ['ends ten minutes after the prediction when that is later than now', prediction, 'now', toMs('15:09')],
  ['ends soon after now when there is no prediction', null, 'now', toMs('14:10')],
  ['ends six hours after the alert when that is long ago', prediction, 'a day later', toMs('19:58')],
] as const)('chart range: begins 34 minutes before the alert and %s', (_, of, when, to) => {
  const nowMs = when === 'now' ? issuedAtMs + 3 * minute : issuedAtMs + 86_400_000
  expect(createChartRange(createAlert(of), nowMs)).toEqual({ from: toMs('13:24'), to })
})

test('chart marks: compute thresholds from the last close before the horizon, or the price at issue without candles', () => {
  const rows = [createCandle('13:57', '90'), createCandle('13:58', '100'), createCandle('13:59', '105')]
  const horizon = { from: toMs('13:59'), to: toMs('14:59') }
  expect(createChartMarks({ createdAt, prediction }, '99', rows)).toEqual({
    ...{ issuedMs: issuedAtMs, price: 99, reference: '100', thresholds: [101, 99], horizon, reachedPoint: null },
  })
  expect(createChartMarks({ createdAt, prediction }, '200', []).thresholds).toEqual([202, 198])
})

test.each([
  ['the prediction is about volume', { ...prediction, metric: 'volume' as const }, '99'],
  ['there is no reference', prediction, null],
  ['there is no prediction', null, '99'],
])('chart marks: have no threshold when %s', (_, of, price) => {
  expect(createChartMarks(createAlert(of), price, []).thresholds).toEqual([])
})

test('figures since issue: cover the minute of the alert and later minutes', () => {
  const rows = [
    createCandle('13:57', '500', '900', '1'),
    createCandle('13:58', '100', '103', '98'),
    createCandle('13:59', '101'),
  ]
  expect(computeFiguresSince(rows, issuedAtMs)).toEqual({ last: '101', high: '103', low: '98' })
  expect(computeFiguresSince(rows.slice(0, 1), issuedAtMs)).toBeNull()
  expect(computeFiguresSince([], issuedAtMs)).toBeNull()
})

test('chart marks: include the first candle that reached a threshold only when the prediction came true', () => {
  const outcome = {
    ...{ logIndex: 9, verdict: 'came-true' as const, measured: '1.5', createdAt, messageHash: '0x' },
  }
  const rows = [
    createCandle('13:58', '100'),
    createCandle('13:59', '100.5'),
    createCandle('14:00', '100', '100.9', '98.5'),
    createCandle('14:01', '98'),
  ]
  const alert = { createdAt, prediction }
  expect(createChartMarks({ ...alert, outcome }, null, rows).reachedPoint).toEqual({ atMs: toMs('14:01'), price: 99 })
  // `reachedPoint` is null for candles after the horizon, and for verdicts other than `came-true`.
  const lateCandles = [createCandle('13:58', '100'), createCandle('14:59', '120')]
  expect(createChartMarks({ ...alert, outcome }, null, lateCandles).reachedPoint).toBeNull()
  expect(
    createChartMarks({ ...alert, outcome: { ...outcome, verdict: 'did-not' } }, null, rows).reachedPoint,
  ).toBeNull()
  expect(createChartMarks(alert, null, rows).reachedPoint).toBeNull()
})
