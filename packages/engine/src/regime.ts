import { getPast } from './ring.ts'
import type { Statistics } from './statistics.ts'

const STATES = ['Calm', 'Normal', 'Turbulent'] as const
const TRENDS = ['range', 'trend up', 'trend down'] as const

/**
 * State of a hidden Markov model with three volatility states (forward filter only), and the trend
 * of the last hour.
 */
export interface Regime {
  /** Probability of each state. */
  weights: number[]
  state: number
  trend: number
  /**
   * Number of consecutive minutes in which another state was more likely, and in which another
   * trend was measured.
   */
  stateChallenge: number
  trendChallenge: number
}

export function createRegime(): Regime {
  return { weights: [0.25, 0.5, 0.25], state: 1, trend: 0, stateChallenge: 0, trendChallenge: 0 }
}

/** Probability that a state lasts another minute. */
const STAY_PROBABILITY = 0.995
/**
 * Mean of log(variance of an hour / variance of a day) in each state. `CENTRE_DEVIATION` is the
 * standard deviation from these means.
 */
const CENTRES = [-1.2, 0, 1.2]
const CENTRE_DEVIATION = 0.7
/**
 * Number of consecutive minutes in which another state must be more likely before it is reported.
 * The same applies to a trend.
 */
const HYSTERESIS = 2
/** Minimum move of the last hour for a trend, in standard deviations of an hourly move. */
const MIN_TREND = 1.5

export function updateRegime(regime: Regime, statistics: Statistics): void {
  const ratio = Math.log((statistics.middle + 1e-12) / (statistics.slow + 1e-12))
  const nextWeights = regime.weights.map((weight, i) => {
    const predictedWeight = weight * STAY_PROBABILITY + ((1 - weight) * (1 - STAY_PROBABILITY)) / 2
    return predictedWeight * Math.exp(-0.5 * ((ratio - (CENTRES[i] ?? 0)) / CENTRE_DEVIATION) ** 2) + 1e-12
  })
  const total = nextWeights.reduce((sum, weight) => sum + weight, 0)
  regime.weights = nextWeights.map((weight) => weight / total)
  const likelyState = regime.weights.indexOf(Math.max(...regime.weights))
  regime.stateChallenge = likelyState === regime.state ? 0 : regime.stateChallenge + 1
  if (regime.stateChallenge >= HYSTERESIS) {
    regime.state = likelyState
    regime.stateChallenge = 0
  }
  updateTrend(regime, statistics)
}

function updateTrend(regime: Regime, statistics: Statistics): void {
  if (statistics.clean <= 60) return
  const move = 100 * (getPast(statistics.closes, 0) - getPast(statistics.closes, 60))
  const distance = move / (Math.sqrt(60 * statistics.slow) + 1e-9)
  const trend = distance > MIN_TREND ? 1 : distance < -MIN_TREND ? 2 : 0
  regime.trendChallenge = trend === regime.trend ? 0 : regime.trendChallenge + 1
  if (regime.trendChallenge < HYSTERESIS) return
  regime.trend = trend
  regime.trendChallenge = 0
}

export function describeRegime(regime: Regime, isCrisis: boolean): string {
  const state = isCrisis ? 'Crisis' : (STATES[regime.state] ?? 'Normal')
  return `${state}, ${TRENDS[regime.trend] ?? 'range'}`
}
