import { MINUTE_MS } from '@tocsin/protocol/durations'
import {
  type AutoscaleInfo,
  CandlestickSeries,
  createChart,
  HistogramSeries,
  type IPriceLine,
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
  /**
   * Visible part of the range, from `getVisibleRange` of an earlier chart. Null shows the whole
   * range.
   */
  visibleRange: ChartRange | null
  marks: ChartMarks | null
  /** CSS colour of the priority. */
  markColor: string
  clock: (atMs: number, withSeconds: boolean) => string
  formatPrice: (price: string) => string
}

const priceScalePx = 68
/** Approximate width in px of a label of the time axis. */
const tickLabelPx = 44
/** A smaller change of the visible range, in minutes, does not count as pan or zoom. */
const leastMoveMinutes = 1

export interface DrawnChart {
  /** Replaces candles and marks. Keeps pan and zoom. */
  setCandles(rows: readonly CandleRow[], marks: ChartMarks | null): void
  /** Moves the line of the current price. Null removes it. */
  setCurrentPrice(price: number | null): void
  /** Returns the visible part after pan or zoom. Null while the whole range is visible. */
  getVisibleRange(): ChartRange | null
  remove(): void
}

/** Draws candles and marks into an element. */
export function drawChart(element: HTMLElement, input: ChartInput): DrawnChart {
  const { range, visibleRange, markColor, clock, formatPrice } = input
  const getColor = readColors(element)
  const formatNumericPrice = (price: number) => formatPrice(String(price))
  const chart = createChart(element, {
    autoSize: true,
    layout: {
      // The logo needs a style element, which the content security policy forbids. A link below
      // the chart names TradingView instead.
      attributionLogo: false,
      background: { color: getColor('--color-ink-1') },
      textColor: getColor('--color-text-2'),
      fontFamily: getComputedStyle(element).fontFamily,
      fontSize: 11,
    },
    grid: { vertLines: { visible: false }, horzLines: { color: getColor('--color-line-1') } },
    rightPriceScale: {
      borderVisible: false,
      entireTextOnly: true,
      scaleMargins: { top: 0.12, bottom: 0.16 },
      minimumWidth: priceScalePx,
    },
    timeScale: {
      borderColor: getColor('--color-line-1'),
      timeVisible: true,
      lockVisibleTimeRangeOnResize: true,
      minBarSpacing: 0.1,
      tickMarkFormatter: (time: Time) => {
        const atMs = Number(time) * 1_000
        // Omit labels at the ends of the axis, because the library would cut them off.
        const edgeDistanceMs = Math.min(atMs - range.from, range.to - atMs)
        const edgeDistancePx = (edgeDistanceMs / (range.to - range.from)) * (element.clientWidth - priceScalePx)
        return edgeDistancePx < tickLabelPx / 2 ? '' : clock(atMs, false)
      },
    },
    localization: {
      timeFormatter: (time: Time) => clock(Number(time) * 1_000, true),
      priceFormatter: formatNumericPrice,
    },
    // The mouse wheel and vertical swipes scroll the page, not the chart.
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false },
    kineticScroll: { touch: false },
  })
  let data: Pick<ChartInput, 'rows' | 'marks'> = input
  let currentPrice: number | null = null
  const [risingColor, fallingColor] = [getColor('--color-up'), getColor('--color-down')]
  const volumes = chart.addSeries(HistogramSeries, {
    color: getColor('--color-line-2'),
    priceScaleId: 'volume',
    priceFormat: { type: 'volume' },
    lastValueVisible: false,
    priceLineVisible: false,
  })
  volumes.priceScale().applyOptions({ scaleMargins: { top: 0.86, bottom: 0 } })
  const candles = chart.addSeries(CandlestickSeries, {
    upColor: getColor('--color-ink-1'),
    downColor: fallingColor,
    borderUpColor: risingColor,
    borderDownColor: fallingColor,
    wickUpColor: risingColor,
    wickDownColor: fallingColor,
    // Hide the line of the last close. The current price is newer and has its own line.
    lastValueVisible: false,
    priceLineVisible: false,
    // Extend the price range of the candles, so that all lines are visible.
    autoscaleInfoProvider: (computeCandleAutoscale: () => AutoscaleInfo | null) => {
      const { minValue, maxValue } = computeCandleAutoscale()?.priceRange ?? {}
      const prices = [data.marks?.price, ...(data.marks?.thresholds ?? []), currentPrice, minValue, maxValue]
      const knownPrices = prices.filter((price) => price !== null && price !== undefined)
      if (knownPrices.length === 0) return null
      return { priceRange: { minValue: Math.min(...knownPrices), maxValue: Math.max(...knownPrices) } }
    },
  })
  // Reserve a place on the axis for every minute, including future minutes and minutes without
  // trades. The minutes stay the same, so new data does not move the visible range.
  const minuteTimes = Array.from(
    { length: (range.to - range.from) / MINUTE_MS },
    (_, index) => (range.from / 1_000 + 60 * index) as UTCTimestamp,
  )
  const priceLines: IPriceLine[] = []
  let drawnMarks: ISeriesPrimitive<Time> | null = null
  const setCandles = (rows: readonly CandleRow[], marks: ChartMarks | null) => {
    data = { rows, marks }
    const rowsByTime = new Map(rows.map((row) => [row[0], row]))
    candles.applyOptions({
      priceFormat: { type: 'custom', formatter: formatNumericPrice, minMove: 10 ** -countDecimals(rows) },
    })
    candles.setData(
      minuteTimes.map((time) => {
        const [, open, high, low, close] = rowsByTime.get(time) ?? []
        return close === undefined
          ? { time }
          : { time, open: Number(open), high: Number(high), low: Number(low), close: Number(close) }
      }),
    )
    volumes.setData(
      minuteTimes.map((time) => {
        const volume = rowsByTime.get(time)?.[5]
        return volume === undefined ? { time } : { time, value: Number(volume) }
      }),
    )
    for (const line of priceLines.splice(0)) candles.removePriceLine(line)
    if (drawnMarks) candles.detachPrimitive(drawnMarks)
    drawnMarks = null
    if (!marks) return
    const line = { axisLabelVisible: true, lineWidth: 1, title: '' } as const
    if (marks.price !== null)
      priceLines.push(
        candles.createPriceLine({
          ...{ ...line, price: marks.price, color: getColor('--color-text-1'), lineStyle: LineStyle.Dashed },
          ...{ axisLabelColor: getColor('--color-ink-3'), axisLabelTextColor: getColor('--color-text-1') },
        }),
      )
    for (const price of marks.thresholds)
      priceLines.push(
        candles.createPriceLine({
          ...{ ...line, price, color: getColor('--color-text-2'), lineStyle: LineStyle.Dotted },
          ...{ axisLabelColor: getColor('--color-ink-2'), axisLabelTextColor: getColor('--color-text-2') },
        }),
      )
    drawnMarks = drawMarks(marks, `issued ${clock(marks.issuedMs, true)}`, {
      mark: toRgb(element, markColor),
      area: getColor('--color-ink-3'),
      text: getColor('--color-text-1'),
      background: getColor('--color-ink-1'),
      font: `11px ${getComputedStyle(element).fontFamily}`,
    })
    candles.attachPrimitive(drawnMarks)
  }
  setCandles(input.rows, input.marks)
  // The library numbers the candles from 0 and centres each at its number, so the full range begins
  // half a minute before the first number and ends half a minute after the last.
  const fullRange = { from: -0.5, to: minuteTimes.length - 0.5 }
  const restoredRange = visibleRange && {
    from: (visibleRange.from - range.from) / MINUTE_MS,
    to: (visibleRange.to - range.from) / MINUTE_MS,
  }
  chart
    .timeScale()
    .setVisibleLogicalRange(restoredRange && restoredRange.to > fullRange.from ? restoredRange : fullRange)
  const nowLine = {
    color: getColor('--color-text-1'),
    lineStyle: LineStyle.SparseDotted,
    lineWidth: 1,
    title: '',
    axisLabelVisible: true,
    axisLabelColor: getColor('--color-text-1'),
    axisLabelTextColor: getColor('--color-ink-0'),
  } as const
  let currentPriceLine: IPriceLine | null = null
  return {
    setCandles,
    setCurrentPrice(price) {
      currentPrice = price
      if (price === null) {
        if (currentPriceLine) candles.removePriceLine(currentPriceLine)
        currentPriceLine = null
      } else if (currentPriceLine) currentPriceLine.applyOptions({ price })
      else currentPriceLine = candles.createPriceLine({ ...nowLine, price })
      const y = price === null ? null : candles.priceToCoordinate(price)
      // The library computes the price range only when it gets candles.
      const isOutOfView = y !== null && (y < 0 || y > chart.paneSize().height)
      if (isOutOfView && candles.priceScale().options().autoScale) setCandles(data.rows, data.marks)
    },
    getVisibleRange() {
      const visible = chart.timeScale().getVisibleLogicalRange()
      if (!visible) return null
      const move = Math.max(Math.abs(visible.from - fullRange.from), Math.abs(visible.to - fullRange.to))
      if (move < leastMoveMinutes) return null
      return { from: range.from + visible.from * MINUTE_MS, to: range.from + visible.to * MINUTE_MS }
    },
    remove: () => chart.remove(),
  }
}

interface MarkStyle {
  mark: string
  area: string
  text: string
  background: string
  font: string
}

/**
 * Width in px of the label beside the line at the time of the alert. The label is to the right of
 * the line, or to the left if there is less space on the right.
 */
const labelWidthPx = 120
const stemPx = 34
const squarePx = 14

/**
 * Draws the horizon as an area, the time of the alert as a dotted line with a hollow diamond, and
 * the outcome as a square with a check mark, linked by a line to the point where the threshold was
 * reached.
 */
function drawMarks(marks: ChartMarks, issuedLabel: string, colors: MarkStyle): ISeriesPrimitive<Time> {
  let attachedParameter: SeriesAttachedParameter<Time> | null = null
  const getX = (atMs: number) => {
    const time = (Math.floor(atMs / MINUTE_MS) * 60) as UTCTimestamp
    return attachedParameter?.chart.timeScale().timeToCoordinate(time) ?? null
  }
  const [high = null, low = null] = marks.thresholds
  const createView = (
    zOrder: 'bottom' | 'top',
    draw: (context: CanvasRenderingContext2D, height: number, width: number) => void,
  ) => {
    const paneView: IPrimitivePaneView = {
      zOrder: () => zOrder,
      renderer: () => ({
        draw: (target) =>
          target.useMediaCoordinateSpace(({ context, mediaSize }) => draw(context, mediaSize.height, mediaSize.width)),
      }),
    }
    return paneView
  }
  const areaView = createView('bottom', (context, height) => {
    const [from, to] = marks.horizon ? [getX(marks.horizon.from), getX(marks.horizon.to)] : [null, null]
    if (from === null || to === null) return
    const top = high === null ? 0 : (attachedParameter?.series.priceToCoordinate(high) ?? 0)
    const bottom = low === null ? height : (attachedParameter?.series.priceToCoordinate(low) ?? height)
    context.globalAlpha = 0.45
    context.fillStyle = colors.area
    context.fillRect(from, top, to - from, bottom - top)
    context.globalAlpha = 1
  })
  const issueView = createView('top', (context, height, width) => {
    const x = getX(marks.issuedMs)
    if (x === null) return
    context.strokeStyle = colors.mark
    context.lineWidth = 1
    context.setLineDash([1, 3])
    context.beginPath()
    context.moveTo(x, 0)
    context.lineTo(x, height)
    context.stroke()
    context.font = colors.font
    context.fillStyle = colors.text
    context.textBaseline = 'top'
    const isRight = width - x >= labelWidthPx
    context.textAlign = isRight ? 'left' : 'right'
    context.fillText(issuedLabel, isRight ? x + 6 : x - 6, 3)
    const y = marks.price === null ? null : (attachedParameter?.series.priceToCoordinate(marks.price) ?? null)
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
  const outcomeView = createView('top', (context) => {
    const x = marks.reachedPoint && getX(marks.reachedPoint.atMs)
    const y = marks.reachedPoint && (attachedParameter?.series.priceToCoordinate(marks.reachedPoint.price) ?? null)
    if (x === null || y === null) return
    // Draw the square between the thresholds: the candles may continue beyond the reached
    // threshold.
    const isDown = marks.reachedPoint?.price === low
    const top = isDown ? y - stemPx - squarePx : y + stemPx
    context.strokeStyle = colors.text
    context.lineWidth = 1
    context.setLineDash([])
    context.beginPath()
    context.moveTo(x, y)
    context.lineTo(x, isDown ? y - stemPx : y + stemPx)
    context.stroke()
    context.fillStyle = colors.text
    context.fillRect(x - squarePx / 2, top, squarePx, squarePx)
    context.strokeStyle = colors.background
    context.lineWidth = 1.75
    context.beginPath()
    context.moveTo(x - 3.5, top + 7.2)
    context.lineTo(x - 0.9, top + 9.7)
    context.lineTo(x + 3.5, top + 4.6)
    context.stroke()
  })
  return {
    attached(parameter) {
      attachedParameter = parameter
    },
    detached() {
      attachedParameter = null
    },
    paneViews: () => [areaView, issueView, outcomeView],
  }
}

/** Reads colours of the theme and converts them to a notation that the chart library supports. */
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

function countDecimals(rows: readonly CandleRow[]): number {
  return Math.min(12, Math.max(0, ...rows.map(([, , , , close]) => close.split('.')[1]?.length ?? 0)))
}
