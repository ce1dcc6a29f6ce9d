import { expect, test } from 'vitest'
import type { Prediction } from '../prediction/prediction-names.ts'
import { type CandleRow, createChartRange } from './candles.ts'
import { createChartMarks, figuresSince } from './chart-figures.ts'

const issued = Date.parse('2026-03-02T13:58:02.000Z')
const minute = 60_000
const createdAt = new Date(issued).toISOString()
const prediction: Prediction = {
  ...{ metric: 'maxExcursion', comparison: 'gte', threshold: 1, venue: 'binance', market: 'ETHUSDT' },
  ...{ candleSeconds: 60, startsAt: '2026-03-02T13:59:00.000Z', horizonSeconds: 3_600 },
  resolveBy: '2026-03-02T15:13:00.000Z',
}
const alertWith = (of: Prediction | null) => (of ? { createdAt, prediction: of } : { createdAt })
const at = (clock: string) => Date.parse(`2026-03-02T${clock}:00.000Z`)
const row = (clock: string, close: string, high = close, low = close): CandleRow => [
  at(clock) / 1_000,
  ...([close, high, low, close, '1'] as const),
]

test.each([
  ['ends ten minutes after the prediction when that is later than now', prediction, 'now', at('15:09')],
  ['ends soon after now when there is no prediction', null, 'now', at('14:10')],
  ['ends six hours after the alert when that is long ago', prediction, 'a day later', at('19:58')],
] as const)('chart range: begins 34 minutes before the alert and %s', (_, of, when, to) => {
  const nowMs = when === 'now' ? issued + 3 * minute : issued + 86_400_000
  expect(createChartRange(alertWith(of), nowMs)).toEqual({ from: at('13:24'), to })
})

test('chart marks: measure the threshold from the last close before the horizon', () => {
  const rows = [row('13:57', '90'), row('13:58', '100'), row('13:59', '105')]
  const horizon = { from: at('13:59'), to: at('14:59') }
  expect(createChartMarks({ createdAt, prediction }, '99', rows)).toEqual({
    ...{ issuedMs: issued, price: 99, thresholds: [101, 99], horizon, reached: null },
  })
  expect(createChartMarks({ createdAt, prediction }, '200', []).thresholds).toEqual([202, 198])
})

test.each([
  ['the prediction is about volume', { ...prediction, metric: 'volume' as const }, '99'],
  ['there is no reference', prediction, null],
  ['there is no prediction', null, '99'],
])('chart marks: have no threshold when %s', (_, of, price) => {
  expect(createChartMarks(alertWith(of), price, []).thresholds).toEqual([])
})

test('figures since issue: cover the minute of the alert and later minutes', () => {
  const rows = [row('13:57', '500', '900', '1'), row('13:58', '100', '103', '98'), row('13:59', '101')]
  expect(figuresSince(rows, issued)).toEqual({ last: '101', high: '103', low: '98' })
  expect(figuresSince(rows.slice(0, 1), issued)).toBeNull()
  expect(figuresSince([], issued)).toBeNull()
})

test('chart marks: have the first candle that reached a threshold when the prediction came true', () => {
  const outcome = {
    ...{ logIndex: 9, verdict: 'came-true' as const, measured: '1.5', createdAt, messageHash: '0x' },
  }
  const rows = [row('13:58', '100'), row('13:59', '100.5'), row('14:00', '100', '100.9', '98.5'), row('14:01', '98')]
  const alert = { createdAt, prediction }
  expect(createChartMarks({ ...alert, outcome }, null, rows).reached).toEqual({ atMs: at('14:01'), price: 99 })
  // `reached` is null for candles after the horizon, and for verdicts other than `came-true`.
  const late = [row('13:58', '100'), row('14:59', '120')]
  expect(createChartMarks({ ...alert, outcome }, null, late).reached).toBeNull()
  expect(createChartMarks({ ...alert, outcome: { ...outcome, verdict: 'did-not' } }, null, rows).reached).toBeNull()
  expect(createChartMarks(alert, null, rows).reached).toBeNull()
})
