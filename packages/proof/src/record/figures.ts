import { type AlertStatus, isCounted } from './alert-status.ts'
import type { ControlRate } from './control-rates.ts'
import { findLift, type Lift } from './controls.ts'
import { type ClusteredRate, type Interval, rateClusters } from './intervals.ts'
import { knownVenues } from './prediction.ts'
import type { RecordAlert } from './record-alert.ts'

/** `count` of `n`. The rate is null if n is 0. */
export interface Rate {
  n: number
  count: number
  rate: number | null
}

/** The figures of all alerts, or of those of one type, asset, model, … */
export interface Figures {
  statuses: Record<AlertStatus, number>
  /** True among all counted alerts. */
  strict: Rate
  /** True among all counted alerts but void ones. */
  second: Rate
  /** The 95 % interval of the strict rate. */
  interval: Interval | null
  designEffect: number
  effectiveN: number
  /** True in what was left of the horizon after the first anchor, among all counted alerts. */
  witnessed: Rate
  /** The strict rate over the first alert of each episode. */
  episodes: Rate
  /** The mean of the control rates. */
  baseRate: number | null
  /** Indexes of counted alerts without a control rate. */
  withoutControls: number[]
  lift: Lift | null
  /** Mean confidence of the counted alerts whose content is public, in percent. */
  meanConfidence: number | null
  /** Counted alerts for each asset and UTC day, from the first to the last day. */
  alertsPerAssetDay: number | null
  /** Venues without a known public archive. */
  unknownVenues: string[]
}

const dayMs = 86_400_000

/** @param alerts by rising index */
export function summarize(alerts: readonly RecordAlert[], controlRates: ReadonlyMap<number, ControlRate>): Figures {
  const counted = alerts.filter(({ status }) => isCounted(status))
  const statuses = countStatuses(alerts)
  const clusters = rateClusters(counted.map(({ hour, status }) => ({ group: hour, isTrue: status === 'true' })))
  const base = findBaseRate(counted, controlRates)
  return {
    statuses,
    strict: toRate(clusters.n, clusters.k),
    second: toRate(clusters.n - statuses.void, clusters.k),
    interval: clusters.interval,
    designEffect: clusters.designEffect,
    effectiveN: clusters.effectiveN,
    witnessed: toRate(clusters.n, counted.filter(isWitnessed).length),
    episodes: rateEpisodes(counted),
    ...base,
    lift: liftOf(clusters, base.baseRate),
    ...describeIssue(counted),
    unknownVenues: listUnknownVenues(alerts),
  }
}

function countStatuses(alerts: readonly RecordAlert[]): Record<AlertStatus, number> {
  const counts: Record<AlertStatus, number> = {
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
  for (const { status } of alerts) counts[status] += 1
  return counts
}

export function toRate(n: number, count: number): Rate {
  return { n, count, rate: n === 0 ? null : count / n }
}

/**
 * True for the alerts that the witnessed rate counts as true. Late, overdue, invalid or disputed
 * ones are not true, whatever their candles say.
 */
export function isWitnessed(alert: RecordAlert): boolean {
  const { status } = alert
  return alert.isWitnessed && (status === 'true' || status === 'false' || status === 'void')
}

function rateEpisodes(counted: readonly RecordAlert[]): Rate {
  const first = counted.filter(({ isFirstOfEpisode }) => isFirstOfEpisode)
  return toRate(first.length, first.filter(({ status }) => status === 'true').length)
}

function findBaseRate(
  counted: readonly RecordAlert[],
  controlRates: ReadonlyMap<number, ControlRate>,
): Pick<Figures, 'baseRate' | 'withoutControls'> {
  const withoutControls: number[] = []
  let sum = 0
  for (const { index } of counted) {
    const rate = controlRates.get(index)
    if (rate) sum += rate.cameTrue / rate.minutes
    else withoutControls.push(index)
  }
  const n = counted.length - withoutControls.length
  return { baseRate: n === 0 ? null : sum / n, withoutControls }
}

function liftOf({ n, k, interval }: ClusteredRate, baseRate: number | null): Lift | null {
  return interval && findLift(k / n, interval, baseRate)
}

function describeIssue(counted: readonly RecordAlert[]): Pick<Figures, 'meanConfidence' | 'alertsPerAssetDay'> {
  const assets = new Set<string>()
  let [n, confidence, firstDay, lastDay] = [0, 0, Number.POSITIVE_INFINITY, 0]
  for (const { statement, createdMs } of counted) {
    if (!statement) continue
    const day = Math.floor(createdMs / dayMs)
    n += 1
    confidence += statement.confidence
    assets.add(statement.asset)
    firstDay = Math.min(firstDay, day)
    lastDay = Math.max(lastDay, day)
  }
  if (n === 0) return { meanConfidence: null, alertsPerAssetDay: null }
  return { meanConfidence: confidence / n, alertsPerAssetDay: n / (assets.size * (lastDay - firstDay + 1)) }
}

function listUnknownVenues(alerts: readonly RecordAlert[]): string[] {
  const venues = new Set<string>()
  for (const { forecast } of alerts) {
    if (!forecast) continue
    venues.add(forecast.prediction.venue)
    if (forecast.prediction.other) venues.add(forecast.prediction.other.venue)
  }
  return [...venues].filter((venue) => !knownVenues.includes(venue)).sort()
}
