/** Rates of few and dependent alerts: Wilson intervals, corrected by the design effect. */

/** The 97.5 % quantile of the normal distribution. */
export const z95 = 1.959963984540054

export type Interval = readonly [low: number, high: number]

/** Whether an alert came true, and the group whose alerts depend on each other. */
export interface ClusteredResult {
  group: number
  isTrue: boolean
}

export interface ClusteredRate {
  n: number
  /** How many came true. */
  k: number
  designEffect: number
  effectiveN: number
  /** 95 %, null without alerts. */
  interval: Interval | null
}

/** The 95 % Wilson interval of k in n, which need not be integers. Null if n is 0. */
export function wilsonInterval(k: number, n: number): Interval | null {
  if (n === 0) return null
  const p = k / n
  const zz = z95 * z95
  const centre = (p + zz / (2 * n)) / (1 + zz / n)
  const halfWidth = (z95 * Math.sqrt((p * (1 - p)) / n + zz / (4 * n * n))) / (1 + zz / n)
  return [Math.max(0, centre - halfWidth), Math.min(1, centre + halfWidth)]
}

/** The rate of results with the interval of as many independent results as they are worth. */
export function rateClusters(results: readonly ClusteredResult[]): ClusteredRate {
  const n = results.length
  const k = results.filter(({ isTrue }) => isTrue).length
  const designEffect = findDesignEffect(results, n, k)
  const effectiveN = n / designEffect
  return { n, k, designEffect, effectiveN, interval: wilsonInterval(k / designEffect, effectiveN) }
}

function findDesignEffect(results: readonly ClusteredResult[], n: number, k: number): number {
  if (k === 0 || k === n) return 1
  const p = k / n
  const groups = new Map<number, { n: number; k: number }>()
  for (const { group, isTrue } of results) {
    const counts = groups.get(group) ?? { n: 0, k: 0 }
    counts.n += 1
    if (isTrue) counts.k += 1
    groups.set(group, counts)
  }
  let spread = 0
  for (const counts of groups.values()) spread += (counts.k - p * counts.n) ** 2
  return Math.max(1, spread / (n * p * (1 - p)))
}
