import { expect, test } from 'vitest'
import { layOutCandles } from './candle-layout.ts'
import type { CandleRow } from './candles.ts'
import type { ChartMarks } from './chart-figures.ts'

const startMs = Date.parse('2026-03-02T14:00:00.000Z')
const minute = 60_000
const createCandle = (
  at: number,
  [open, high, low, close]: [string, string, string, string],
  volume = '1',
): CandleRow => [startMs / 1_000 + 60 * at, ...([open, high, low, close, volume] as const)]
const risingCandle = createCandle(0, ['100', '104', '98', '102'])
const fallingCandle = createCandle(1, ['102', '102', '96', '97'], '2')
const createMarks = (change: Partial<ChartMarks> = {}): ChartMarks => ({
  ...{ issuedMs: startMs + 30_000, price: null, reference: null, thresholds: [], horizon: null, reachedPoint: null },
  ...change,
})

test('layOutCandles: draws each candle at its minute, with separate paths for rising and falling candles', () => {
  const { rising: up, falling: down } = layOutCandles([risingCandle, fallingCandle], createMarks(), 8)
  // The path draws the wick above the body, the wick below it, and the body. The candle is in the
  // first half of the width.
  expect(up).toBe('M25 10V28M25 46V64M9 28H41V46H9Z')
  expect(down.startsWith('M75 ')).toBe(true)
})

test('layOutCandles: leaves a gap for each minute without a candle', () => {
  const { falling: down } = layOutCandles([risingCandle, createCandle(3, ['102', '102', '96', '97'])], createMarks(), 8)
  expect(down.startsWith('M87.5 ')).toBe(true)
})

test('layOutCandles: draws volumes in proportion to the largest one', () => {
  expect(layOutCandles([risingCandle, fallingCandle], createMarks(), 8).volumes).toBe(
    'M9 100V93H41V100ZM59 100V86H91V100Z',
  )
  const flatLayout = layOutCandles([createCandle(0, ['1', '1', '1', '1'], '0')], createMarks(), 8)
  expect(flatLayout.volumes).toBe('M18 100V100H82V100Z')
  expect(flatLayout.getY(1)).toBe(46)
})

test('layOutCandles: the axes include thresholds, the price at issue and the whole horizon', () => {
  const horizon = { from: startMs, to: startMs + 10 * minute }
  const { getX, getY } = layOutCandles(
    [risingCandle, fallingCandle],
    createMarks({ thresholds: [110, 90], price: 120, horizon }),
    8,
  )
  expect([getY(120), getY(90), getX(startMs), getX(horizon.to)]).toEqual([10, 82, 0, 100])
})

test('layOutCandles: starts the time axis at the minute of the alert when the alert is older than the first candle', () => {
  expect(layOutCandles([fallingCandle], createMarks({ issuedMs: startMs - 1 }), 8).getX(startMs - minute)).toBe(0)
})

test('layOutCandles: separates the labels of issue price and last close, and omits labels that would overlap them', () => {
  const { priceLabels } = layOutCandles(
    [risingCandle, fallingCandle],
    createMarks({ price: 97.1, thresholds: [97.2, 103] }),
    12,
  )
  expect(priceLabels.slice(0, 3).map(({ kind }) => kind)).toEqual(['issue', 'last', 'threshold'])
  const heights = priceLabels.map(({ y }) => y).sort((a, b) => a - b)
  for (const [at, y] of heights.entries()) expect(y - (heights[at - 1] ?? -100)).toBeGreaterThanOrEqual(12)
})

test.each([
  [5, ['14:01', '14:02', '14:03', '14:04']],
  [65, ['14:15', '14:30', '14:45', '15:00']],
  [360, ['15:00', '16:00', '17:00', '18:00', '19:00']],
])('layOutCandles: labels a few round times when the horizon is %i minutes', (minutes, expected) => {
  const horizon = { from: startMs, to: startMs + minutes * minute }
  const { timeLabels } = layOutCandles([risingCandle], createMarks({ horizon }), 8)
  expect(timeLabels.map(({ atMs }) => new Date(atMs).toISOString().slice(11, 16))).toEqual(expected)
})
