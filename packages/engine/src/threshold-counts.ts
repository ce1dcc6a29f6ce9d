import { applyCoolDown, type CoolDowns, formatCoolDownKey, pruneCoolDowns } from './cool-down.ts'
import { type Candidate, findPricePeak, findVolatilityPeak, findVolumePeak, type Peak } from './detectors.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from './durations.ts'
import type { Market, Observation } from './market.ts'

/** Types whose alerts depend on a threshold of the surprise. */
export const COUNTED_KINDS = ['price', 'volume', 'volatility', 'marketWide'] as const
export type CountedKind = (typeof COUNTED_KINDS)[number]

/** The thresholds that the tally compares: 1.5, 1.6, … 4.0. */
export const TRIED_THRESHOLDS: readonly number[] = Array.from({ length: 26 }, (_, i) => (15 + i) / 10)
export const LOWEST_TRIED_THRESHOLD = 1.5
export const COUNTED_DAYS = 7
/**
 * Interval at which ended cool-downs are removed. They have no effect; removing them limits memory.
 */
const PRUNE_MS = HOUR_MS

interface Counts {
  /** Number of alerts that were raised. */
  alerts: number
  /** Number of alerts that each threshold would have raised, see TRIED_THRESHOLDS. */
  peaks: Partial<Record<CountedKind, number[]>>
}

interface CountedDay {
  /** Start of the day, midnight UTC. */
  start: number
  /** Number of minutes in which at least one market could have raised an alert. */
  minutes: number
  /** Counts by the `asset` of the alerts. */
  assets: Record<string, Counts>
}

/**
 * Counts the alerts of the last seven UTC days, and the alerts that each threshold would have
 * raised. For the latter, the detectors run at the end of each minute, and each threshold has its
 * own cool-downs. The engine only writes the tally, so it cannot change an alert. Plain JSON.
 */
export interface ThresholdCounts {
  /** The cool-downs of each threshold. */
  coolDowns: CoolDowns[]
  /** The days, oldest first, at most seven. */
  days: CountedDay[]
}

export function createCounts(): ThresholdCounts {
  return { coolDowns: TRIED_THRESHOLDS.map(() => ({})), days: [] }
}

export function countMinute(counts: ThresholdCounts, at: number): void {
  getOrCreateDay(counts, at).minutes++
  if (at % PRUNE_MS < MINUTE_MS) for (const coolDowns of counts.coolDowns) pruneCoolDowns(coolDowns, at)
}

export function countAlerts(counts: ThresholdCounts, at: number, asset: string, alertCount: number): void {
  getOrCreateCounts(counts, at, asset).alerts += alertCount
}

const peakFinders = { price: findPricePeak, volume: findVolumePeak, volatility: findVolatilityPeak }

export function countPeaks(counts: ThresholdCounts, at: number, market: Market, observation: Observation): void {
  for (const kind of ['price', 'volume', 'volatility'] as const) {
    const peak = observation[kind] < LOWEST_TRIED_THRESHOLD ? null : peakFinders[kind](observation)
    if (peak === null) continue
    const key = formatCoolDownKey(market.base, kind, peak.direction)
    TRIED_THRESHOLDS.forEach((threshold, thresholdIndex) => {
      if (peak.score >= threshold) countPeak(counts, thresholdIndex, at, { asset: market.market, kind, key, peak })
    })
  }
}

/** @param detect returns the alert that a threshold would raise, or null */
export function countMarketWide(
  counts: ThresholdCounts,
  at: number,
  detect: (threshold: number) => Candidate | null,
): void {
  TRIED_THRESHOLDS.forEach((threshold, thresholdIndex) => {
    const candidate = detect(threshold)
    if (candidate?.asset === undefined) return
    const key = formatCoolDownKey(candidate.asset, 'marketWide', candidate.direction)
    countPeak(counts, thresholdIndex, at, { asset: candidate.asset, kind: 'marketWide', key, peak: candidate })
  })
}

function countPeak(
  thresholdCounts: ThresholdCounts,
  thresholdIndex: number,
  at: number,
  { asset, kind, key, peak }: { asset: string; kind: CountedKind; key: string; peak: Peak },
): void {
  const coolDowns = thresholdCounts.coolDowns[thresholdIndex] ?? {}
  if (!applyCoolDown(coolDowns, key, at, peak.strength)) return
  const { peaks } = getOrCreateCounts(thresholdCounts, at, asset)
  const counts = peaks[kind] ?? TRIED_THRESHOLDS.map(() => 0)
  counts[thresholdIndex] = (counts[thresholdIndex] ?? 0) + 1
  peaks[kind] = counts
}

function getOrCreateCounts(thresholdCounts: ThresholdCounts, at: number, asset: string): Counts {
  const { assets } = getOrCreateDay(thresholdCounts, at)
  const counts = assets[asset] ?? { alerts: 0, peaks: {} }
  assets[asset] = counts
  return counts
}

function getOrCreateDay(counts: ThresholdCounts, at: number): CountedDay {
  const start = at - (at % DAY_MS)
  const newestDay = counts.days.at(-1)
  if (newestDay !== undefined && newestDay.start >= start) return newestDay
  const day = { start, minutes: 0, assets: {} }
  counts.days = [...counts.days.filter((earlier) => earlier.start > start - COUNTED_DAYS * DAY_MS), day]
  return day
}
