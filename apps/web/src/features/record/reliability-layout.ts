import { wilsonInterval } from '@tocsin/proof'
import type { PublicRecord } from './record-texts.ts'

export type Bin = PublicRecord['calibration']['bins'][number]

export interface ReliabilityPoint {
  bin: Bin
  /** Shares from 0 to 1: mean confidence, share that came true, and its Wilson interval. */
  x: number
  y: number
  whisker: readonly [number, number]
  /** Height of the bar that shows the number of alerts, from 0 to 1. */
  bar: number
}

/** Converts the bins that contain alerts to points of the diagram. */
export function createPoints(bins: readonly Bin[]): ReliabilityPoint[] {
  const filledBins = bins.filter(({ n }) => n > 0)
  const max = Math.max(1, ...filledBins.map(({ n }) => n))
  return filledBins.map((bin) => {
    const { n, shown, cameTrue } = bin
    const whisker = wilsonInterval(Math.round(cameTrue * n), n) ?? [cameTrue, cameTrue]
    return { bin, x: shown, y: cameTrue, whisker, bar: n / max }
  })
}

/** A point of a polygon in a square from 0 to 100 with y downwards. */
const formatCorner = (x: number, y: number) => `${(100 * x).toFixed(2)},${(100 * (1 - y)).toFixed(2)}`

/**
 * The band that contains 95 % of the shares that perfectly calibrated predictions would have, as a
 * polygon.
 */
export function formatBand(points: readonly ReliabilityPoint[]): string {
  const high = points.map(({ x, bin }) => formatCorner(x, bin.chanceBand[1]))
  const low = points.map(({ x, bin }) => formatCorner(x, bin.chanceBand[0])).reverse()
  return [...high, ...low].join(' ')
}

export function formatLine(points: readonly ReliabilityPoint[]): string {
  return points.map(({ x, y }) => formatCorner(x, y)).join(' ')
}
