import { MINUTE_MS } from '@tocsin/protocol/durations'
import { listGridValues } from '../../ui/identity/series-layout.ts'
import type { CandleRow } from './candles.ts'
import type { ChartMarks } from './chart-figures.ts'

/** Vertical range of the prices in percent. The space above it is for the time of the alert. */
const priceArea = { top: 10, bottom: 82 }
const volumeArea = { top: 86, bottom: 100 }
/** Width of a candle as a share of its minute. */
const bodyShare = 0.64
const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120].map((minutes) => minutes * MINUTE_MS)
const maxSteps = 6
/**
 * Minimum distance of a time label from the ends of the axis, in percent of the width. A label that
 * is closer would be cut off, so it is omitted.
 */
const timeMargin = 5

export type AxisLabel = { kind: 'issue' | 'last' | 'threshold' | 'grid'; value: number; y: number }

interface CandleLayout {
  /** SVG paths in a 100 x 100 box. */
  rising: string
  falling: string
  volumes: string
  /** Percent of the width. */
  getX(atMs: number): number
  /** Percent of the height. */
  getY(price: number): number
  gridPrices: number[]
  /** Labels of the price axis, placed so that they do not overlap. */
  priceLabels: AxisLabel[]
  timeLabels: { atMs: number; x: number }[]
}

/**
 * Lays out candles and the marks of an alert.
 * @param rows at least one, oldest first
 * @param labelHeightPercent height of a label of the price axis, in percent of the chart's height
 */
export function layOutCandles(
  rows: readonly [CandleRow, ...CandleRow[]],
  { issuedMs, price, thresholds, horizon }: ChartMarks,
  labelHeightPercent: number,
): CandleLayout {
  const lastRow = rows.at(-1) ?? rows[0]
  const from = Math.min(rows[0][0] * 1_000, Math.floor(issuedMs / MINUTE_MS) * MINUTE_MS)
  const to = Math.max(lastRow[0] * 1_000 + MINUTE_MS, horizon?.to ?? 0)
  const markedPrices = [...thresholds, ...(price === null ? [] : [price])]
  const low = Math.min(...markedPrices, ...rows.map((row) => Number(row[3])))
  const high = Math.max(...markedPrices, ...rows.map((row) => Number(row[2])))
  const getX = (atMs: number) => round((100 * (atMs - from)) / (to - from))
  const getY = (value: number) => {
    // If all prices are equal, place them in the middle.
    const share = high === low ? 0.5 : (high - value) / (high - low)
    return round(priceArea.top + (priceArea.bottom - priceArea.top) * share)
  }
  const grid = listGridValues(low, high)
  const halfBody = (bodyShare * MINUTE_MS) / 2
  const getBody = ([openSeconds]: CandleRow) => {
    const middleMs = openSeconds * 1_000 + MINUTE_MS / 2
    return { left: getX(middleMs - halfBody), middle: getX(middleMs), right: getX(middleMs + halfBody) }
  }
  const formatCandlePath = (row: CandleRow) => {
    const [open, highest, lowest, close] = [row[1], row[2], row[3], row[4]].map((value) => getY(Number(value)))
    const [top, bottom] = [Math.min(open ?? 0, close ?? 0), Math.max(open ?? 0, close ?? 0)]
    const { left, middle, right } = getBody(row)
    return `M${middle} ${highest}V${top}M${middle} ${bottom}V${lowest}M${left} ${top}H${right}V${bottom}H${left}Z`
  }
  const maxVolume = Math.max(...rows.map((row) => Number(row[5])))
  const formatVolumePath = (row: CandleRow) => {
    const share = maxVolume === 0 ? 0 : Number(row[5]) / maxVolume
    const { left, right } = getBody(row)
    const top = round(volumeArea.bottom - (volumeArea.bottom - volumeArea.top) * share)
    return `M${left} ${volumeArea.bottom}V${top}H${right}V${volumeArea.bottom}Z`
  }
  const isFalling = (row: CandleRow) => Number(row[4]) < Number(row[1])
  return {
    rising: rows
      .filter((row) => !isFalling(row))
      .map(formatCandlePath)
      .join(''),
    falling: rows.filter(isFalling).map(formatCandlePath).join(''),
    volumes: rows.map(formatVolumePath).join(''),
    getX,
    getY,
    gridPrices: grid,
    priceLabels: placeLabels(
      [
        ...(price === null ? [] : [createLabel('issue', price, getY)]),
        createLabel('last', Number(lastRow[4]), getY),
        ...thresholds.map((value) => createLabel('threshold', value, getY)),
        ...grid.map((value) => createLabel('grid', value, getY)),
      ],
      labelHeightPercent,
    ),
    timeLabels: createAxisTimes(from, to).flatMap((atMs) => {
      const x = getX(atMs)
      return x < timeMargin || x > 100 - timeMargin ? [] : [{ atMs, x }]
    }),
  }
}

const createLabel = (kind: AxisLabel['kind'], value: number, yOf: (price: number) => number): AxisLabel => {
  return { kind, value, y: yOf(value) }
}

/**
 * Places labels in the given order, most important first. A label that would overlap a placed label
 * is omitted, except the label of the last close, which is moved up or down.
 */
function placeLabels(labels: readonly AxisLabel[], labelHeightPercent: number): AxisLabel[] {
  const placedLabels: AxisLabel[] = []
  for (const label of labels) {
    const nearLabel = placedLabels.find(({ y }) => Math.abs(y - label.y) < labelHeightPercent)
    if (!nearLabel) placedLabels.push(label)
    else if (label.kind === 'last') {
      const isBelow = label.y === nearLabel.y ? nearLabel.y < 50 : label.y > nearLabel.y
      placedLabels.push({ ...label, y: round(nearLabel.y + (isBelow ? labelHeightPercent : -labelHeightPercent)) })
    }
  }
  return placedLabels
}

/**
 * The times on the axis: multiples of the shortest step that fits at most six times into the range.
 */
function createAxisTimes(from: number, to: number): number[] {
  const step = timeSteps.find((candidateMs) => (to - from) / candidateMs <= maxSteps) ?? to - from
  const firstMs = Math.ceil(from / step) * step
  return Array.from({ length: Math.floor((to - firstMs) / step) + 1 }, (_, index) => firstMs + index * step)
}

const round = (percent: number) => Math.round(percent * 100) / 100
