import {
  CandlestickSeries,
  createChart,
  HistogramSeries,
  type IPrimitivePaneView,
  type ISeriesPrimitive,
  LineStyle,
  type SeriesAttachedParameter,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts'
import type { CandleRow, ChartRange } from './candles.ts'
import type { ChartMarks } from './chart-figures.ts'

export interface ChartInput {
  rows: readonly CandleRow[]
  range: ChartRange
  marks: ChartMarks | null
  /** CSS colour of the priority. */
  markColor: string
  clock: (atMs: number, withSeconds: boolean) => string
  priceWords: (price: string) => string
}

const minuteMs = 60_000

/** Draws candles and marks into an element. Returns a function that removes the chart. */
export function drawChart(element: HTMLElement, { rows, range, marks, markColor, clock, priceWords }: ChartInput) {
  const color = readColors(element)
  const words = (price: number) => priceWords(String(price))
  const chart = createChart(element, {
    autoSize: true,
    layout: {
      // The logo needs a style element, which the content security policy forbids. A link below
      // the chart names TradingView instead.
      attributionLogo: false,
      background: { color: color('--color-ink-1') },
      textColor: color('--color-text-2'),
      fontFamily: getComputedStyle(element).fontFamily,
      fontSize: 11,
    },
    grid: { vertLines: { visible: false }, horzLines: { color: color('--color-line-1') } },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.12, bottom: 0.16 }, minimumWidth: 68 },
    timeScale: {
      borderColor: color('--color-line-1'),
      timeVisible: true,
      lockVisibleTimeRangeOnResize: true,
      minBarSpacing: 0.1,
      tickMarkFormatter: (time: Time) => clock(Number(time) * 1_000, false),
    },
    localization: { timeFormatter: (time: Time) => clock(Number(time) * 1_000, true), priceFormatter: words },
    // The page scrolls, not the chart.
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false },
    kineticScroll: { touch: false },
  })
  const [up, down] = [color('--color-up'), color('--color-down')]
  const volumes = chart.addSeries(HistogramSeries, {
    color: color('--color-line-2'),
    priceScaleId: 'volume',
    priceFormat: { type: 'volume' },
    lastValueVisible: false,
    priceLineVisible: false,
  })
  volumes.priceScale().applyOptions({ scaleMargins: { top: 0.86, bottom: 0 } })
  const candles = chart.addSeries(CandlestickSeries, {
    upColor: color('--color-ink-1'),
    downColor: down,
    borderUpColor: up,
    borderDownColor: down,
    wickUpColor: up,
    wickDownColor: down,
    priceLineColor: color('--color-text-1'),
    priceLineStyle: LineStyle.SparseDotted,
    priceFormat: { type: 'custom', formatter: words, minMove: 10 ** -decimalsOf(rows) },
  })
  // Every minute has a place on the axis, also those without trades and those to come.
  const byTime = new Map(rows.map((row) => [row[0], row]))
  const minutes = Array.from({ length: (range.to - range.from) / minuteMs }, (_, at) => range.from / 1_000 + 60 * at)
  candles.setData(
    minutes.map((at) => {
      const [, open, high, low, close] = byTime.get(at) ?? []
      const time = at as UTCTimestamp
      return close === undefined
        ? { time }
        : { time, open: Number(open), high: Number(high), low: Number(low), close: Number(close) }
    }),
  )
  volumes.setData(rows.map(([at, , , , , volume]) => ({ time: at as UTCTimestamp, value: Number(volume) })))
  if (marks) {
    const line = { axisLabelVisible: true, lineWidth: 1, title: '' } as const
    if (marks.price !== null)
      candles.createPriceLine({
        ...{ ...line, price: marks.price, color: color('--color-text-1'), lineStyle: LineStyle.Dashed },
        ...{ axisLabelColor: color('--color-ink-3'), axisLabelTextColor: color('--color-text-1') },
      })
    for (const price of marks.thresholds)
      candles.createPriceLine({
        ...{ ...line, price, color: color('--color-text-2'), lineStyle: LineStyle.Dotted },
        ...{ axisLabelColor: color('--color-ink-2'), axisLabelTextColor: color('--color-text-2') },
      })
    candles.attachPrimitive(drawMarks(marks, { mark: toRgb(element, markColor), area: color('--color-ink-3') }))
  }
  chart.timeScale().setVisibleLogicalRange({ from: -0.5, to: minutes.length - 0.5 })
  return () => chart.remove()
}

/** The horizon as an area, and the moment of the alert as a dotted line with a hollow diamond. */
function drawMarks(marks: ChartMarks, colors: { mark: string; area: string }): ISeriesPrimitive<Time> {
  let attached: SeriesAttachedParameter<Time> | null = null
  const xOf = (atMs: number) => {
    const time = (Math.floor(atMs / minuteMs) * 60) as UTCTimestamp
    return attached?.chart.timeScale().timeToCoordinate(time) ?? null
  }
  const [high = null, low = null] = marks.thresholds
  const view = (zOrder: 'bottom' | 'top', draw: (context: CanvasRenderingContext2D, height: number) => void) => {
    const paneView: IPrimitivePaneView = {
      zOrder: () => zOrder,
      renderer: () => ({
        draw: (target) => target.useMediaCoordinateSpace(({ context, mediaSize }) => draw(context, mediaSize.height)),
      }),
    }
    return paneView
  }
  const area = view('bottom', (context, height) => {
    const [from, to] = marks.horizon ? [xOf(marks.horizon.from), xOf(marks.horizon.to)] : [null, null]
    if (from === null || to === null) return
    const top = high === null ? 0 : (attached?.series.priceToCoordinate(high) ?? 0)
    const bottom = low === null ? height : (attached?.series.priceToCoordinate(low) ?? height)
    context.globalAlpha = 0.45
    context.fillStyle = colors.area
    context.fillRect(from, top, to - from, bottom - top)
    context.globalAlpha = 1
  })
  const event = view('top', (context, height) => {
    const x = xOf(marks.issuedMs)
    if (x === null) return
    context.strokeStyle = colors.mark
    context.lineWidth = 1
    context.setLineDash([1, 3])
    context.beginPath()
    context.moveTo(x, 0)
    context.lineTo(x, height)
    context.stroke()
    const y = marks.price === null ? null : (attached?.series.priceToCoordinate(marks.price) ?? null)
    if (y === null) return
    context.setLineDash([])
    context.lineWidth = 1.5
    context.beginPath()
    for (const [dx, dy] of [
      [0, -6],
      [6, 0],
      [0, 6],
      [-6, 0],
    ] as const)
      context.lineTo(x + dx, y + dy)
    context.closePath()
    context.stroke()
  })
  return {
    attached(parameter) {
      attached = parameter
    },
    detached() {
      attached = null
    },
    paneViews: () => [area, event],
    // The threshold belongs into the picture, also when the price is far from it.
    autoscaleInfo: () => {
      const prices = [...marks.thresholds, ...(marks.price === null ? [] : [marks.price])]
      if (prices.length === 0) return null
      return { priceRange: { minValue: Math.min(...prices), maxValue: Math.max(...prices) } }
    },
  }
}

/** Reads colours of the theme in a notation that the chart library understands. */
function readColors(element: HTMLElement) {
  const style = getComputedStyle(element)
  return (name: string) => toRgb(element, style.getPropertyValue(name))
}

function toRgb(element: HTMLElement, cssColor: string): string {
  const canvas = element.ownerDocument.createElement('canvas')
  canvas.width = 1
  canvas.height = 1
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context) return '#888888'
  context.fillStyle = cssColor.trim()
  context.fillRect(0, 0, 1, 1)
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data
  return `rgb(${red}, ${green}, ${blue})`
}

function decimalsOf(rows: readonly CandleRow[]): number {
  return Math.min(12, Math.max(0, ...rows.map(([, , , , close]) => close.split('.')[1]?.length ?? 0)))
}
