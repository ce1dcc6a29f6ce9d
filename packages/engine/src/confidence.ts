import { computeQuantile } from './decayed-histogram.ts'
import type { Candidate } from './detectors.ts'
import { DAY_MS } from './durations.ts'
import { computeProbability, createLogistic, type Logistic, learnOutcome } from './logistic.ts'
import { sumNewest } from './ring.ts'
import { computeExcursion, type PastOutcomes } from './statistics.ts'
import { calibrate, type ScoredOutcome } from './venn-abers.ts'

/**
 * State of the model that estimates the probability that a prediction comes true. The model learns
 * only from resolved outcomes. The state can be serialized as JSON.
 */
export interface Confidence {
  model: Logistic
  /**
   * The last resolved outcomes, each with the uncalibrated probability that was estimated for it.
   */
  judged: ScoredOutcome[]
}

const MAX_RESOLVED_OUTCOMES = 1_500
/**
 * Minimum number of outcomes for calibration. With fewer, the regression alone estimates better
 * than the isotonic fit.
 */
const MIN_RESOLVED_OUTCOMES = 100
const PRIOR_PROBABILITY = 0.4
const PRIOR_VARIANCE = 0.5

/**
 * Number of features that all types of alerts share. One regression covers all types, so that it
 * needs fewer outcomes.
 */
const SHARED_FEATURE_COUNT = 14
const KINDS = ['price', 'volume', 'volatility', 'marketWide', 'divergence', 'rush', 'quiet'] as const
const METRICS = ['maxExcursion', 'volume', 'realisedVariance', 'spread'] as const
/** Indexes of the shared features whose weight differs by metric. */
const INTERACTION_FEATURES = [4, 5, 6, 12]

export function createConfidence(): Confidence {
  const intercept = Math.log(PRIOR_PROBABILITY / (1 - PRIOR_PROBABILITY))
  const weightCount =
    SHARED_FEATURE_COUNT - 1 + (KINDS.length - 1) + (METRICS.length - 1) * INTERACTION_FEATURES.length + 1
  const zeros = new Array<number>(weightCount).fill(0)
  return { model: createLogistic([intercept, ...zeros], [1, ...zeros.map(() => PRIOR_VARIANCE)]), judged: [] }
}

const logRatio = (a: number, b: number) => Math.max(-3, Math.min(3, Math.log((a + 1e-12) / (b + 1e-12))))

/**
 * Returns the features of the regression. The features lie around 0 and are of the order of 1. The
 * first one is the intercept.
 */
export function computeFeatures(
  candidate: Candidate,
  threshold: number,
  past: PastOutcomes,
  marketContext: { at: number; breadth: number; recentKindCount: number; overallVolatility: number },
): number[] {
  const { statistics, newest } = candidate.market
  const hour = (2 * Math.PI * (marketContext.at % DAY_MS)) / DAY_MS
  const views = newest?.views
  const recentMeasure = projectMetric(candidate, past)
  const sharedFeatures = [
    1,
    Math.min(candidate.score, 8) - 4,
    logRatio(statistics.fast, statistics.slow) / 2,
    logRatio(statistics.middle, statistics.slow) / 2,
    logRatio(recentMeasure, threshold),
    logRatio(computeQuantile(past[toMeasuredMetric(candidate)], 0.5), threshold) + 1,
    logRatio(views?.volumes[2] ?? 1, 1) / 2,
    logRatio(Math.max(...(views?.prices ?? [1]).map(Math.abs)), 4),
    Math.sin(hour),
    Math.cos(hour),
    marketContext.breadth,
    marketContext.recentKindCount / 2,
    logRatio(computeTrailingMetric(candidate, past), threshold),
    marketContext.overallVolatility,
  ]
  const kindFeatures = KINDS.slice(1).map((kind) => (kind === candidate.kind ? 1 : 0))
  const interactionFeatures = METRICS.slice(1).flatMap((metric) =>
    INTERACTION_FEATURES.map((feature) => (metric === candidate.metric ? (sharedFeatures[feature] ?? 0) : 0)),
  )
  return [...sharedFeatures, ...kindFeatures, ...interactionFeatures, (newest?.novelty ?? 0) / 2 - 1]
}

function toMeasuredMetric({ metric }: Candidate): 'maxExcursion' | 'volume' | 'realisedVariance' {
  return metric === 'spread' ? 'maxExcursion' : metric
}

/**
 * Returns the metric over the most recent minutes, as many as a prediction covers. For `spread`,
 * returns the strength of the candidate.
 */
function computeTrailingMetric(candidate: Candidate, past: PastOutcomes): number {
  const { statistics } = candidate.market
  const { minutes } = past
  if (candidate.metric === 'volume') return sumNewest(statistics.volumes, minutes)
  if (candidate.metric === 'realisedVariance') return sumNewest(statistics.squares, minutes)
  return candidate.metric === 'maxExcursion' ? computeExcursion(statistics, minutes) : candidate.strength
}

/**
 * Returns the value that the metric will have at the end of the prediction if the market continues
 * as in the newest minutes. For `spread`, returns the strength of the candidate.
 */
function projectMetric(candidate: Candidate, past: PastOutcomes): number {
  const { statistics, newest } = candidate.market
  const { minutes } = past
  if (candidate.metric === 'volume') return (newest?.views.volumes[1] ?? 1) * statistics.volume * minutes
  if (candidate.metric === 'realisedVariance') return statistics.fast * minutes
  if (candidate.metric === 'maxExcursion') return 1.3 * Math.sqrt(statistics.fast * minutes)
  return candidate.strength
}

export interface Estimate {
  /** The estimate of the regression alone, stored until the outcome is known. */
  raw: number
  calibrated: number
}

export function estimate(confidence: Confidence, features: readonly number[]): Estimate {
  const raw = computeProbability(confidence.model, features)
  const hasEnoughOutcomes = confidence.judged.length >= MIN_RESOLVED_OUTCOMES
  return { raw, calibrated: hasEnoughOutcomes ? calibrate(confidence.judged, raw) : raw }
}

export function learnResolvedOutcome(
  confidence: Confidence,
  features: readonly number[],
  raw: number,
  outcome: 0 | 1,
): void {
  learnOutcome(confidence.model, features, outcome)
  confidence.judged.push({ score: raw, outcome })
  if (confidence.judged.length > MAX_RESOLVED_OUTCOMES) confidence.judged.shift()
}
