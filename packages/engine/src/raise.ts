import { computeFeatures, estimate } from './confidence.ts'
import { applyCoolDown, type CoolDowns, formatCoolDownKey, startCoolDown } from './cool-down.ts'
import { computeQuantile } from './decayed-histogram.ts'
import { formatDecimal } from './decimal.ts'
import type { Candidate } from './detectors.ts'
import { MINUTE_MS } from './durations.ts'
import { type Alert, ANOMALY_TYPES } from './finding.ts'
import type { Market, Observation } from './market.ts'
import { formatSymbol, predict } from './prediction.ts'
import { computeWantedPriority, spendBudget } from './priority.ts'
import { describeRegime } from './regime.ts'
import type { Settings } from './settings.ts'
import type { EngineState } from './state.ts'
import type { PastOutcomes } from './statistics.ts'
import { countAlerts } from './threshold-counts.ts'

const RECENT_MS = 30 * MINUTE_MS
/**
 * The regime is a crisis if at least CRISIS_ASSETS assets, and CRISIS_SHARE of all assets, raise
 * alerts within this time, or if there is a market-wide alert.
 */
const CRISIS_MS = MINUTE_MS
const CRISIS_SHARE = 0.5
const CRISIS_ASSETS = 3

/**
 * Strength of a cool-down that no candidate exceeds, so that only the market-wide alert is updated.
 */
const NO_UPDATE_STRENGTH = 1e9

/**
 * Starts the cool-downs of all observed assets after a market-wide alert, as if each asset had
 * raised an alert of its own.
 */
export function startCoolDownsAfterMarketWide(
  coolDowns: CoolDowns,
  observations: readonly [Market, Observation][],
): void {
  for (const [{ base }, { at }] of observations) {
    for (const direction of ['up', 'down'] as const) {
      startCoolDown(coolDowns, formatCoolDownKey(base, 'price', direction), at, NO_UPDATE_STRENGTH)
    }
    startCoolDown(coolDowns, formatCoolDownKey(base, 'volume', 'up'), at, NO_UPDATE_STRENGTH)
    startCoolDown(coolDowns, formatCoolDownKey(base, 'volatility', 'up'), at, NO_UPDATE_STRENGTH)
  }
}

/**
 * Applies cool-down, prediction, confidence and budgets to a candidate, and returns its alerts. The
 * list is empty if a cool-down suppresses the candidate.
 */
export function raiseAlerts(state: EngineState, candidate: Candidate, settings: Settings): Alert[] {
  const at = state.now
  const base = candidate.asset ?? candidate.market.base
  const isLasting = candidate.kind === 'divergence' || candidate.kind === 'quiet'
  const key = formatCoolDownKey(isLasting ? candidate.market.market : base, candidate.kind, candidate.direction)
  if (!applyCoolDown(state.coolDowns, key, at, candidate.strength)) return []
  state.recent = state.recent.filter((recent) => at - recent.at < RECENT_MS)
  state.recent.push({ at, base, kind: candidate.kind })
  const alerts = candidate.market.statistics.past.flatMap((past) => createAlert(state, candidate, past, settings) ?? [])
  countAlerts(state.tally, at, candidate.asset ?? candidate.market.market, alerts.length)
  return alerts
}

function computeThreshold(candidate: Candidate, past: PastOutcomes, settings: Settings): number {
  if (candidate.threshold !== undefined) {
    // The threshold of a quiet market is a volume per hour. Convert it to the length of the
    // prediction.
    return candidate.kind === 'quiet' ? candidate.threshold * (past.minutes / 60) : candidate.threshold
  }
  if (candidate.metric === 'spread') return 0
  return (
    settings.thresholdFactors[candidate.metric] * computeQuantile(past[candidate.metric], settings.thresholdQuantile)
  )
}

function createAlert(state: EngineState, candidate: Candidate, past: PastOutcomes, settings: Settings): Alert | null {
  const { market, other, kind, metric } = candidate
  const at = state.now
  const prediction = predict(metric, computeThreshold(candidate, past, settings), market, at, past.minutes * 60, other)
  if (prediction === null) return null
  const breadth = computeBreadth(state)
  const recentKindCount = new Set(
    state.recent.filter((recent) => recent.base === market.base).map((recent) => recent.kind),
  ).size
  const features = computeFeatures(candidate, prediction.threshold, past, {
    at,
    breadth,
    recentKindCount,
    overallVolatility: computeOverallVolatility(state),
  })
  const { raw, calibrated } = estimate(state.confidence, features)
  const hasShortHorizon = past.minutes * 60 !== settings.horizonSeconds
  const id = [
    kind,
    candidate.direction,
    market.venue,
    formatSymbol(market),
    String(at),
    ...(hasShortHorizon ? ['short'] : []),
  ].join('-')
  state.open.push({ id, prediction, features, raw, reported: false })
  const asset = candidate.asset ?? market.market
  return {
    type: 'alert',
    id,
    asset,
    anomalyType: hasShortHorizon ? `${ANOMALY_TYPES[kind]}, ${past.minutes} min` : ANOMALY_TYPES[kind],
    confidence: Math.round(1000 * Math.min(0.99, Math.max(0.01, calibrated))) / 10,
    regime: describeRegime(market.regime, isCrisis(state, at)),
    summary: candidate.summary,
    priority: spendBudget(state.budgets, asset, computeWantedPriority(candidate.score, calibrated, breadth), at),
    observedAt: at,
    series: candidate.series,
    ...getPriceFields(candidate),
    prediction,
  }
}

function getPriceFields({ market, price = market.bars.close }: Candidate): Pick<Alert, 'price' | 'quote' | 'venue'> {
  const decimal = formatDecimal(price)
  return decimal === null ? {} : { price: decimal, quote: market.quote, venue: market.venue }
}

function countAssets(state: EngineState): number {
  return new Set(Object.values(state.markets).map((market) => market.base)).size
}

/** Share of the assets that raised an alert in the last half hour. */
function computeBreadth(state: EngineState): number {
  const firedBases = new Set(state.recent.map(({ base }) => base))
  return Math.min(1, firedBases.size / countAssets(state))
}

function isCrisis(state: EngineState, at: number): boolean {
  const crisisAlerts = state.recent.filter((candidate) => at - candidate.at <= CRISIS_MS)
  if (crisisAlerts.some((candidate) => candidate.kind === 'marketWide')) return true
  const firedAssetCount = new Set(crisisAlerts.map((candidate) => candidate.base)).size
  return firedAssetCount >= CRISIS_ASSETS && firedAssetCount >= CRISIS_SHARE * countAssets(state)
}

/** Volatility of all markets: mean logarithm of the ratio of 15-minute to one-day volatility. */
function computeOverallVolatility(state: EngineState): number {
  const ratios = Object.values(state.markets).flatMap(({ newest, statistics }) =>
    newest === null ? [] : [Math.log((statistics.fast + 1e-12) / (statistics.slow + 1e-12)) / 2],
  )
  return ratios.length === 0 ? 0 : ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length
}
