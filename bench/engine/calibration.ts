import { createRandom } from '@tocsin/server/test/support/seeded-random.ts'

/**
 * A prediction and its outcome, for the calibration figures of docs/log-format.md, chapter 14.5.
 */
export interface Forecast {
  /** Predicted probability, from 0 to 1. */
  p: number
  y: 0 | 1
  /** Rate of the earlier outcomes of this alert type, with Laplace smoothing. */
  reference: number
}

const computeMean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

export function getCalibration(rows: readonly Forecast[]) {
  const root = Math.sqrt(rows.reduce((sum, { p }) => sum + (1 - 2 * p) ** 2 * p * (1 - p), 0))
  return {
    n: rows.length,
    brier: computeMean(rows.map(({ p, y }) => (p - y) ** 2)),
    referenceBrier: computeMean(rows.map(({ reference, y }) => (reference - y) ** 2)),
    ece: getEce(rows),
    chance: computeChanceBand(rows),
    z: rows.reduce((sum, { p, y }) => sum + (y - p) * (1 - 2 * p), 0) / root,
  }
}

function getEce(rows: readonly { p: number; y: number }[]): number {
  const bins = Array.from({ length: 10 }, () => ({ p: 0, y: 0 }))
  for (const { p, y } of rows) {
    const bin = bins[Math.min(9, Math.floor(Math.round(p * 1000) / 100))]
    if (bin === undefined) continue
    bin.p += p
    bin.y += y
  }
  return bins.reduce((sum, bin) => sum + Math.abs(bin.p - bin.y), 0) / rows.length
}

const DRAW_COUNT = 500

/**
 * Returns the 95 % quantile of the expected calibration error (ECE) of a perfect forecaster. Its
 * outcomes are simulated with a fixed seed.
 */
function computeChanceBand(rows: readonly Forecast[]): number {
  const random = createRandom(7)
  const eceDraws = Array.from({ length: DRAW_COUNT }, () =>
    getEce(rows.map(({ p }) => ({ p, y: random() < p ? 1 : 0 }))),
  )
  return eceDraws.sort((a, b) => a - b)[Math.floor(0.95 * DRAW_COUNT)] ?? 0
}
