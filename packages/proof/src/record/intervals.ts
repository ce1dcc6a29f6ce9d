/**
 * Rates of alerts. Alerts are few and depend on each other, so the rates have Wilson intervals that
 * are corrected by the design effect.
 */

/** The 97.5 % quantile of the normal distribution. */
export const z95 = 1.959963984540054

export type Interval = readonly [low: number, high: number]

/** The result of an alert, and the group of dependent alerts to which the alert belongs. */
export interface ClusteredResult {
  group: number
  isTrue: boolean
}

export interface ClusteredRate {
  n: number
  /** Number of results that are true. */
  k: number
  designEffect: number
  effectiveN: number
  /** The 95 % interval. Null if there are no results. */
  interval: Interval | null
}

/**
 * The 95 % Wilson interval of k successes in n trials. Null if n is 0. Neither number has to be an
 * integer.
 */
export function wilsonInterval(k: number, n: number): Interval | null {
  if (n === 0) return null
  const p = k / n
  const squaredZ = z95 * z95
  const centre = (p + squaredZ / (2 * n)) / (1 + squaredZ / n)
  const halfWidth = (z95 * Math.sqrt((p * (1 - p)) / n + squaredZ / (4 * n * n))) / (1 + squaredZ / n)
  return [Math.max(0, centre - halfWidth), Math.min(1, centre + halfWidth)]
}

/**
 * Computes the rate of results. Because results of one group depend on each other, the interval is
 * computed for the effective number of independent results, which is at most the number of results.
 */
export function computeClusteredRate(results: Iterable<ClusteredResult>): ClusteredRate {
  const clusters = createClusters()
  for (const result of results) clusters.add(result)
  return clusters.finish()
}

/**
 * Like `computeClusteredRate`, but results are added one at a time. Stores one number for each
 * result.
 */
export function createClusters() {
  /** One number per result: twice the group, plus 1 if the result is true. */
  const codes: number[] = []
  let k = 0
  return {
    add({ group, isTrue }: ClusteredResult): void {
      codes.push(2 * group + (isTrue ? 1 : 0))
      if (isTrue) k += 1
    },
    finish(): ClusteredRate {
      const n = codes.length
      const designEffect = findDesignEffect(codes, n, k)
      const effectiveN = n / designEffect
      return { n, k, designEffect, effectiveN, interval: wilsonInterval(k / designEffect, effectiveN) }
    },
  }
}

function findDesignEffect(codes: readonly number[], n: number, k: number): number {
  if (k === 0 || k === n) return 1
  const p = k / n
  const sortedCodes = Float64Array.from(codes).sort()
  let squaredDeviationSum = 0
  let groupCounts = { n: 0, k: 0 }
  for (const [at, code] of sortedCodes.entries()) {
    groupCounts.n += 1
    groupCounts.k += code % 2 === 0 ? 0 : 1
    const isLast = at + 1 === n || Math.floor((sortedCodes[at + 1] ?? 0) / 2) !== Math.floor(code / 2)
    if (!isLast) continue
    squaredDeviationSum += (groupCounts.k - p * groupCounts.n) ** 2
    groupCounts = { n: 0, k: 0 }
  }
  return Math.max(1, squaredDeviationSum / (n * p * (1 - p)))
}
