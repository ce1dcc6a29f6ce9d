import { expect, test } from 'vitest'
import { findGreatestMove, getReference } from './moves.ts'
import type { Prediction } from './prediction-names.ts'

const prediction: Prediction = {
  ...{ metric: 'maxExcursion', comparison: 'gte', threshold: 1, venue: 'binance', market: 'ETHUSDT' },
  ...{ candleSeconds: 60, startsAt: '2026-03-02T13:59:00.000Z', horizonSeconds: 3_600 },
  resolveBy: '2026-03-02T15:13:00.000Z',
}
const toMs = (clock: string) => Date.parse(`2026-03-02T${clock}:00.000Z`)
const row = (
  clock: string,
  close: string,
  high = close,
  low = close,
): [number, string, string, string, string, string] => [
  toMs(clock) / 1_000,
  ...([close, high, low, close, '1'] as const),
]

test('reference of a move: is the unrounded last close in the five minutes before the horizon, or null without candles', () => {
  const rows = [row('13:57', '100'), row('13:58', '61204.110'), row('13:59', '61300')]
  expect(getReference(rows, toMs('13:59'))).toBe('61204.110')
  expect(getReference([row('13:53', '100'), row('13:59', '61300')], toMs('13:59'))).toBeNull()
})

test('reference of a move: is null until a candle of the last minute before the horizon or a later candle arrives', () => {
  expect(getReference([row('13:57', '100')], toMs('13:59'))).toBeNull()
  expect(getReference([row('13:57', '100'), row('13:58', '101')], toMs('13:59'))).toBe('101')
  expect(getReference([row('13:57', '100'), row('13:59', '102')], toMs('13:59'))).toBe('100')
})

test.each([
  ['down', [row('13:58', '100'), row('13:59', '101', '109', '98'), row('14:00', '98'), row('14:59', '50')], -2],
  ['up', [row('13:58', '100'), row('13:59', '103', '104', '90'), row('14:00', '99')], 3],
  ['unknown before the horizon', [row('13:57', '1'), row('13:58', '100')], null],
])('greatest move: considers only candles within the horizon: %s', (_, rows, percent) => {
  expect(findGreatestMove({ prediction }, null, rows)).toEqual(percent === null ? null : expect.closeTo(percent))
})

test('greatest move: is unknown when the prediction is about volume or missing', () => {
  const rows = [row('13:58', '100'), row('13:59', '101')]
  expect(findGreatestMove({ prediction: { ...prediction, metric: 'volume' } }, '100', rows)).toBeNull()
  expect(findGreatestMove({}, '100', rows)).toBeNull()
})
