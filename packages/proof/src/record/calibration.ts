import { type Interval, z95 } from './intervals.ts'
import { findFirstIndex } from './ordered.ts'

/** A forecast whose result is known. Callers list forecasts in ascending order of log index. */
export interface EvaluatedForecast {
  /** In percent, at most one decimal. */
  confidence: number
  isTrue: boolean
  /**
   * A forecast from 0 to 1 that uses only the earlier alerts of the same type, see
   * `listReferenceForecasts`.
   */
  referenceForecast: number
}

export interface CalibrationBin {
  /** Lower bound in percent. Bins are 10 wide; the last one includes 100. */
  from: number
  n: number
  /** Mean confidence, 0 to 1. */
  shown: number
  /** Share that came true. */
  cameTrue: number
  /** Range in which `cameTrue` lies with a probability of 95 % if all confidences are correct. */
  chanceBand: Interval
}

export interface Calibration {
  n: number
  brier: number | null
  referenceBrier: number | null
  skill: number | null
  /** Expected calibration error. */
  ece: number | null
  spiegelhalterZ: number | null
  /** Bins with at least one forecast. */
  bins: CalibrationBin[]
}

const binCount = 10

export function calibrate(forecasts: Iterable<EvaluatedForecast>): Calibration {
  const bins = Array.from({ length: binCount }, () => ({ n: 0, confidence: 0, cameTrue: 0, variance: 0 }))
  let [n, squaredErrorSum, referenceErrorSum, zNumerator, zVariance] = [0, 0, 0, 0, 0]
  for (const { confidence, isTrue, referenceForecast } of forecasts) {
    n += 1
    const p = confidence / 100
    const y = isTrue ? 1 : 0
    squaredErrorSum += (p - y) ** 2
    referenceErrorSum += (referenceForecast - y) ** 2
    zNumerator += (y - p) * (1 - 2 * p)
    zVariance += (1 - 2 * p) ** 2 * p * (1 - p)
    const bin = bins[Math.min(binCount - 1, Math.floor(confidence / (100 / binCount)))]
    if (!bin) continue
    bin.n += 1
    bin.confidence += p
    bin.cameTrue += y
    bin.variance += p * (1 - p)
  }
  if (n === 0) {
    return { n, brier: null, referenceBrier: null, skill: null, ece: null, spiegelhalterZ: null, bins: [] }
  }
  const brier = squaredErrorSum / n
  const referenceBrier = referenceErrorSum / n
  const filledBins = bins.map(summarizeBin).filter((bin) => bin.n > 0)
  return {
    n,
    brier,
    referenceBrier,
    skill: referenceBrier === 0 ? null : 1 - brier / referenceBrier,
    ece: filledBins.reduce((sum, bin) => sum + bin.n * Math.abs(bin.shown - bin.cameTrue), 0) / n,
    spiegelhalterZ: zVariance === 0 ? null : zNumerator / Math.sqrt(zVariance),
    bins: filledBins,
  }
}

function summarizeBin(
  { n, confidence, cameTrue, variance }: { n: number; confidence: number; cameTrue: number; variance: number },
  at: number,
): CalibrationBin {
  const meanConfidence = confidence / n
  const halfWidth = (z95 * Math.sqrt(variance)) / n
  return {
    from: at * (100 / binCount),
    n,
    shown: meanConfidence,
    cameTrue: cameTrue / n,
    chanceBand: [Math.max(0, meanConfidence - halfWidth), Math.min(1, meanConfidence + halfWidth)],
  }
}

/** An alert whose confidence is compared with its result. */
export interface CalibrationResult {
  type: string
  /** Time of issue in milliseconds. */
  createdMs: number
  /** Time of the outcome entry that counts, or null if no outcome counts. */
  resolvedMs: number | null
  isTrue: boolean
}

/**
 * Computes a reference forecast for each alert: Laplace's rate (k + 1) / (n + 2), where n is the
 * number of alerts of the same type that were resolved before the alert was issued, and k the
 * number of these that came true.
 */
export function listReferenceForecasts(results: readonly CalibrationResult[]): number[] {
  const references = createReferences()
  for (const result of results) references.add(result)
  const getReferenceForecast = references.finish()
  return results.map(getReferenceForecast)
}

/**
 * Like `listReferenceForecasts`, but results are added one at a time. Stores one number for each
 * result with an outcome.
 */
export function createReferences() {
  /**
   * One number per result with an outcome, by type: twice the time of the outcome, plus 1 if the
   * alert came true.
   */
  const codesByType = new Map<string, number[]>()
  return {
    add({ type, resolvedMs, isTrue }: CalibrationResult): void {
      if (resolvedMs === null) return
      const codesOfType = codesByType.get(type) ?? []
      codesByType.set(type, codesOfType)
      codesOfType.push(2 * resolvedMs + (isTrue ? 1 : 0))
    },
    finish() {
      const timelines = new Map([...codesByType].map(([type, codesOfType]) => [type, createTimeline(codesOfType)]))
      return ({ type, createdMs }: Pick<CalibrationResult, 'type' | 'createdMs'>): number => {
        const { n, k } = timelines.get(type)?.(createdMs) ?? { n: 0, k: 0 }
        return (k + 1) / (n + 2)
      }
    },
  }
}

/** Returns a function that counts the results before a time: `n` in all, `k` that came true. */
function createTimeline(codes: readonly number[]): (beforeMs: number) => { n: number; k: number } {
  const sortedCodes = Float64Array.from(codes).sort()
  const trueCountBefore = new Uint32Array(sortedCodes.length + 1)
  for (const [at, code] of sortedCodes.entries())
    trueCountBefore[at + 1] = (trueCountBefore[at] ?? 0) + (code % 2 === 0 ? 0 : 1)
  return (beforeMs) => {
    const n = findFirstIndex(sortedCodes.length, (at) => (sortedCodes[at] ?? 0) >= 2 * beforeMs)
    return { n, k: trueCountBefore[n] ?? 0 }
  }
}
