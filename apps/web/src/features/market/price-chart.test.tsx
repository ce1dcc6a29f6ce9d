// @vitest-environment happy-dom

import { cleanup, render } from '@testing-library/react'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CandleRow } from './candles.ts'
import type { ChartMarks } from './chart-figures.ts'
import { PriceChart } from './price-chart.tsx'

/** Replaces the chart library and records its calls. The test environment has no canvas. */
const library = vi.hoisted(() => {
  const priceScale = { applyOptions: () => {}, options: () => ({ autoScale: true }) }
  const getSeries = () => ({
    ...{ setData: vi.fn(), applyOptions: vi.fn(), priceScale: () => priceScale },
    priceToCoordinate: vi.fn<(price: number) => number>(() => 50),
    createPriceLine: vi.fn(({ price }: { price: number }) => ({ price, applyOptions: vi.fn() })),
    removePriceLine: vi.fn(),
    attachPrimitive: vi.fn(),
    detachPrimitive: vi.fn(),
  })
  const volumes = getSeries()
  const candles = getSeries()
  const remove = vi.fn()
  const setVisibleLogicalRange = vi.fn()
  const getVisibleLogicalRange = vi.fn()
  const createChart = vi.fn(() => ({
    addSeries: vi.fn((kind: string, _options: object) => (kind === 'candles' ? candles : volumes)),
    ...{ remove, paneSize: () => ({ height: 100 }) },
    timeScale: () => ({ setVisibleLogicalRange, getVisibleLogicalRange }),
  }))
  return { volumes, candles, remove, setVisibleLogicalRange, getVisibleLogicalRange, createChart }
})
vi.mock('lightweight-charts', () => ({
  ...{ createChart: library.createChart, CandlestickSeries: 'candles', HistogramSeries: 'volumes' },
  LineStyle: { Dotted: 1, Dashed: 2, SparseDotted: 4 },
}))

beforeEach(() => vi.clearAllMocks())
afterEach(cleanup)

const startMs = Date.UTC(2026, 10, 21, 14)
const createCandle = (minute: number): CandleRow => [
  ...([startMs / 1_000 + 60 * minute, '10', '12', '9'] as const),
  ...([`1${minute}.5`, `${minute + 1}`] as const),
]
const createCandlesUntil = (minutes: number) => Array.from({ length: minutes }, (_, minute) => createCandle(minute))
const getMarks = (thresholds: number[]): ChartMarks => ({
  ...{ issuedMs: startMs, price: 10, reference: '10', thresholds, horizon: null, reachedPoint: null },
})
/** A chart of five minutes. Each render creates a new range object, as on the pages. */
const getChart = (rows: CandleRow[], marks: ChartMarks, minutes = 5, now: number | null = null) => (
  <PriceChart
    {...{ rows, marks, now, markColorClass: '', className: '' }}
    range={{ from: startMs, to: startMs + minutes * MINUTE_MS }}
  />
)

const readLastData = (series: typeof library.candles) => series.setData.mock.lastCall?.[0]
const getTimes = (data: { time: number }[]) => data.map(({ time }) => (time * 1_000 - startMs) / MINUTE_MS)

test('PriceChart: keeps pan and zoom when a candle is added', () => {
  const { rerender } = render(getChart(createCandlesUntil(2), getMarks([11])))
  rerender(getChart(createCandlesUntil(3), getMarks([11, 9])))
  expect(library.createChart).toHaveBeenCalledOnce()
  expect(library.remove).not.toHaveBeenCalled()
  expect(library.setVisibleLogicalRange).toHaveBeenCalledOnce()

  const [candles, volumes] = [readLastData(library.candles), readLastData(library.volumes)]
  expect(candles[2]).toEqual({ time: createCandle(2)[0], open: 10, high: 12, low: 9, close: 12.5 })
  expect(volumes[2]).toEqual({ time: createCandle(2)[0], value: 3 })
  // Candles and volumes must contain exactly the minutes of the range, also those without a candle,
  // because any other number of entries would move the visible range.
  for (const data of [candles, volumes]) expect(getTimes(data)).toEqual([0, 1, 2, 3, 4])
})

test('PriceChart: replaces the marks, and keeps the line of the current price, when a candle is added', () => {
  const { rerender } = render(getChart(createCandlesUntil(2), getMarks([11]), 5, 10.5))
  rerender(getChart(createCandlesUntil(3), getMarks([11, 9]), 5, 10.5))
  const getPrices = (calls: [{ price: number }][]) => calls.map(([{ price }]) => price)
  expect(getPrices(library.candles.removePriceLine.mock.calls as never)).toEqual([10, 11])
  expect(getPrices(library.candles.createPriceLine.mock.calls)).toEqual([10, 11, 10.5, 10, 11, 9])
  expect(library.candles.detachPrimitive.mock.calls).toEqual([library.candles.attachPrimitive.mock.calls[0]])
})

test('PriceChart: draws another chart with the newest candles when the range changes', () => {
  const { rerender, unmount } = render(getChart(createCandlesUntil(2), getMarks([])))
  rerender(getChart(createCandlesUntil(3), getMarks([]), 15))
  expect(library.createChart).toHaveBeenCalledTimes(2)
  expect(library.remove).toHaveBeenCalledOnce()
  expect(readLastData(library.candles)).toHaveLength(15)
  expect(readLastData(library.candles)[2]).toHaveProperty('close', 12.5)
  unmount()
  expect(library.remove).toHaveBeenCalledTimes(2)
})

test.each([
  ['keeps pan and zoom when the range grows', { from: 1, to: 3 }, { from: 1, to: 3 }],
  ['shows the whole range when it grows and all of it was visible', { from: -0.5, to: 4.5 }, { from: -0.5, to: 14.5 }],
  ['shows the whole range when it has passed the visible part', { from: -9, to: -2 }, { from: -0.5, to: 14.5 }],
])('PriceChart: %s', (_name, visible, expected) => {
  const { rerender } = render(getChart(createCandlesUntil(2), getMarks([])))
  expect(library.setVisibleLogicalRange).toHaveBeenLastCalledWith({ from: -0.5, to: 4.5 })
  library.getVisibleLogicalRange.mockReturnValue(visible)
  rerender(getChart(createCandlesUntil(3), getMarks([]), 15))
  expect(library.setVisibleLogicalRange).toHaveBeenLastCalledWith(expected)
})

test('PriceChart: shows the whole range of candles, marks and current price, also when this price moves out of view', () => {
  const [rows, marks] = [createCandlesUntil(2), getMarks([11])]
  const { rerender } = render(getChart(rows, marks, 5, 10.5))
  const [chart] = library.createChart.mock.results.map(({ value }) => value)
  const [, options] = chart.addSeries.mock.calls.find(([kind]: [string]) => kind === 'candles')
  const computeRange = () => options.autoscaleInfoProvider(() => ({ priceRange: { minValue: 9, maxValue: 12 } }))
  expect(computeRange()).toEqual({ priceRange: { minValue: 9, maxValue: 12 } })
  const drawnCount = library.candles.setData.mock.calls.length
  rerender(getChart(rows, marks, 5, 10.6))
  expect(library.candles.setData).toHaveBeenCalledTimes(drawnCount)
  library.candles.priceToCoordinate.mockReturnValueOnce(-1)
  rerender(getChart(rows, marks, 5, 30))
  expect(library.candles.setData).toHaveBeenCalledTimes(drawnCount + 1)
  expect(computeRange()).toEqual({ priceRange: { minValue: 9, maxValue: 30 } })
})
