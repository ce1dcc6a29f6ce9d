import { type AlertStatus, isCounted } from './alert-status.ts'
import type { ControlRate } from './control-rates.ts'
import { findLift, type Lift } from './controls.ts'
import { createClusters, type Interval } from './intervals.ts'
import { knownVenues } from './prediction.ts'
import type { CountedAlert } from './record-alert.ts'

/** `rate` is `count` divided by `n`, or null if `n` is 0. */
export interface Rate {
  n: number
  count: number
  rate: number | null
}

/** The figures of all alerts, or of the alerts of one type, asset, model and so on. */
export interface Figures {
  statuses: Record<AlertStatus, number>
  /** Alerts that came true among all counted alerts. */
  strict: Rate
  /** Alerts that came true among all counted alerts except void ones. */
  second: Rate
  /** The 95 % interval of the strict rate. */
  interval: Interval | null
  designEffect: number
  effectiveN: number
  /**
   * Alerts that came true in the rest of the horizon after the first anchor, among all counted
   * alerts.
   */
  witnessed: Rate
  /** The strict rate of the alerts that are the first of their episode. */
  episodes: Rate
  /** Counted alerts with an outcome whose stated time the anchors do not prove. */
  timesNotProven: number
  /** The mean of the control rates. */
  baseRate: number | null
  /** Counted alerts without a control rate. */
  withoutControls: number
  lift: Lift | null
  /** Mean confidence of the counted alerts whose content is public, in percent. */
  meanConfidence: number | null
  /**
   * Mean number of counted alerts whose content is public, per asset and UTC day, from the first to
   * the last day.
   */
  alertsPerAssetDay: number | null
  /** Venues without a known public archive. */
  unknownVenues: string[]
}

const dayMs = 86_400_000

/** Callers add alerts in ascending index order. Stores one number for each alert that counts. */
export function createFigures() {
  const statuses = createStatusCounts()
  const clusters = createClusters()
  const episodes = { n: 0, count: 0 }
  const issueTotals = { n: 0, confidence: 0, firstDay: Number.POSITIVE_INFINITY, lastDay: 0 }
  const assets = new Set<string>()
  const venues = new Set<string>()
  let [witnessedCount, timesNotProven, controlledCount, controlRateSum] = [0, 0, 0, 0]

  function addCounted(alert: CountedAlert, controlRate: ControlRate | undefined): void {
    const { status, hour, isFirstOfEpisode, statement, createdMs, outcome } = alert
    const isTrue = status === 'true'
    clusters.add({ group: hour, isTrue })
    if (countsAsWitnessed(alert)) witnessedCount += 1
    if (outcome?.isTimeProven === false) timesNotProven += 1
    if (isFirstOfEpisode) {
      episodes.n += 1
      if (isTrue) episodes.count += 1
    }
    if (controlRate) {
      controlledCount += 1
      controlRateSum += controlRate.cameTrue / controlRate.minutes
    }
    if (!statement) return
    const day = Math.floor(createdMs / dayMs)
    issueTotals.n += 1
    issueTotals.confidence += statement.confidence
    issueTotals.firstDay = Math.min(issueTotals.firstDay, day)
    issueTotals.lastDay = Math.max(issueTotals.lastDay, day)
    assets.add(statement.asset)
  }

  return {
    add(alert: CountedAlert, controlRate?: ControlRate): void {
      const { status, forecast } = alert
      statuses[status] += 1
      if (forecast) {
        venues.add(forecast.prediction.venue)
        if (forecast.prediction.other) venues.add(forecast.prediction.other.venue)
      }
      if (isCounted(status)) addCounted(alert, controlRate)
    },

    /** Adds alerts without a prediction. They count only in `statuses`. */
    addUncounted(status: 'no-prediction' | 'pending', count: number): void {
      statuses[status] += count
    },

    finish(): Figures {
      const { n, k, ...rate } = clusters.finish()
      const baseRate = controlledCount === 0 ? null : controlRateSum / controlledCount
      const assetDays = assets.size * (issueTotals.lastDay - issueTotals.firstDay + 1)
      return {
        statuses: { ...statuses },
        strict: toRate(n, k),
        second: toRate(n - statuses.void, k),
        ...rate,
        witnessed: toRate(n, witnessedCount),
        episodes: toRate(episodes.n, episodes.count),
        timesNotProven,
        baseRate,
        withoutControls: n - controlledCount,
        lift: rate.interval && findLift(k / n, rate.interval, baseRate),
        meanConfidence: issueTotals.n === 0 ? null : issueTotals.confidence / issueTotals.n,
        alertsPerAssetDay: issueTotals.n === 0 ? null : issueTotals.n / assetDays,
        unknownVenues: [...venues].filter((venue) => !knownVenues.includes(venue)).sort(),
      }
    },
  }
}

function createStatusCounts(): Record<AlertStatus, number> {
  return {
    true: 0,
    false: 0,
    void: 0,
    overdue: 0,
    late: 0,
    withheld: 0,
    invalid: 0,
    disputed: 0,
    open: 0,
    pending: 0,
    'no-prediction': 0,
  }
}

export function toRate(n: number, count: number): Rate {
  return { n, count, rate: n === 0 ? null : count / n }
}

/**
 * True for the alerts that the witnessed rate counts as true. Alerts that are late, overdue,
 * invalid or disputed never count as true, even if their prediction came true.
 */
function countsAsWitnessed(alert: CountedAlert): boolean {
  const { status } = alert
  return alert.isWitnessed && (status === 'true' || status === 'false' || status === 'void')
}
