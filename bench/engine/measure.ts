import { createHash } from 'node:crypto'
import { DAY_MS } from '@tocsin/protocol/durations'
import type { Month } from './candle-files.ts'

export type Metric = 'maxExcursion' | 'volume' | 'realisedVariance'

/**
 * Returns the metric (docs/signal-protocol.md, Metrics) over `minutes` candles from index `start`,
 * or NaN if the month lacks a candle. The numbers are binary64, which is exact enough for rates.
 */
export function computeMetric(month: Month, metric: Metric, start: number, minutes: number): number {
  const { close, volume } = month
  if (start < 1 || start + minutes > close.length) return Number.NaN
  const reference = close[start - 1] ?? Number.NaN
  let value = 0
  for (let i = start; i < start + minutes; i++) {
    const price = close[i] ?? Number.NaN
    if (metric === 'volume') value += volume[i] ?? Number.NaN
    else if (metric === 'maxExcursion') value = Math.max(value, (100 * Math.abs(price - reference)) / reference)
    else value += ((100 * (price - (close[i - 1] ?? 0))) / (close[i - 1] ?? 1)) ** 2
  }
  return value
}

const CONTROLS = 20
const BLOCK_HASH = Buffer.alloc(32, 0xab)

/**
 * Returns the share of the alert's control minutes (docs/log-format.md, chapter 14.4) at which its
 * rule also comes true.
 */
export function computeControlRate(
  month: Month,
  alert: { id: string; metric: Metric; threshold: number; startsAt: number; minutes: number },
): number {
  const day = Math.round((alert.startsAt - (alert.startsAt % DAY_MS) - month.from) / 60_000)
  const size = 1440 - alert.minutes
  const leaf = createHash('sha256').update(alert.id).digest()
  let count = 0
  let hitCount = 0
  for (let counter = 0; count < CONTROLS && counter < 1000; counter++) {
    const minute = drawControlMinute(leaf, counter, size)
    const value = minute === null ? Number.NaN : computeMetric(month, alert.metric, day + minute, alert.minutes)
    if (Number.isNaN(value)) continue
    count++
    if (value >= alert.threshold) hitCount++
  }
  return count === 0 ? Number.NaN : hitCount / count
}

function drawControlMinute(leaf: Buffer, counter: number, size: number): number | null {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(counter)
  const hash = createHash('sha256').update('tocsin-control-v1').update(BLOCK_HASH).update(leaf).update(bytes).digest()
  const drawnNumber = hash.readBigUInt64BE()
  const limit = (2n ** 64n / BigInt(size)) * BigInt(size)
  return drawnNumber < limit ? 1 + Number(drawnNumber % BigInt(size)) : null
}
