import { applyCoolDown, type CoolDowns, coolDownKey, pruneCoolDowns } from './cool-down.ts'
import { type Candidate, type Peak, pricePeak, volatilityPeak, volumePeak } from './detectors.ts'
import { DAY_MS, MINUTE_MS } from './durations.ts'
import type { Market, Observation } from './market.ts'

/** Types whose alerts depend on a threshold of the surprise. */
export const TALLIED_KINDS = ['price', 'volume', 'volatility', 'marketWide'] as const
export type TalliedKind = (typeof TALLIED_KINDS)[number]

/** The thresholds that the tally compares: 1.5, 1.6, … 4.0. */
export const TRIED_THRESHOLDS: readonly number[] = Array.from({ length: 26 }, (_, i) => (15 + i) / 10)
export const LOWEST_TRIED = 1.5
export const TALLIED_DAYS = 7
/**
 * Interval at which ended cool-downs are removed. They have no effect; removing them limits memory.
 */
const PRUNE_MS = 3_600_000

interface Counts {
  /** Number of alerts that were raised. */
  alerts: number
  /** Number of alerts that each threshold would have raised, see TRIED_THRESHOLDS. */
  peaks: Partial<Record<TalliedKind, number[]>>
}

interface TalliedDay {
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
export interface Tally {
  /** The cool-downs of each threshold. */
  coolDowns: CoolDowns[]
  /** The days, oldest first, at most seven. */
  days: TalliedDay[]
}

export function createCounts(): Tally {
  return { coolDowns: TRIED_THRESHOLDS.map(() => ({})), days: [] }
}

export function countMinute(counts: Tally, at: number): void {
  getOrCreateDay(counts, at).minutes++
  if (at % PRUNE_MS < MINUTE_MS) for (const coolDowns of counts.coolDowns) pruneCoolDowns(coolDowns, at)
}

export function countAlerts(counts: Tally, at: number, asset: string, alerts: number): void {
  getOrCreateCounts(counts, at, asset).alerts += alerts
}

const peakFinders = { price: pricePeak, volume: volumePeak, volatility: volatilityPeak }

export function countPeaks(counts: Tally, at: number, market: Market, seen: Observation): void {
  for (const kind of ['price', 'volume', 'volatility'] as const) {
    const peak = seen[kind] < LOWEST_TRIED ? null : peakFinders[kind](seen)
    if (peak === null) continue
    const key = coolDownKey(market.base, kind, peak.direction)
    TRIED_THRESHOLDS.forEach((threshold, step) => {
      if (peak.score >= threshold) countPeak(counts, step, at, { asset: market.market, kind, key, peak })
    })
  }
}

/** @param detect returns the alert that a threshold would raise, or null */
export function countMarketWide(counts: Tally, at: number, detect: (threshold: number) => Candidate | null): void {
  TRIED_THRESHOLDS.forEach((threshold, step) => {
    const peak = detect(threshold)
    if (peak?.asset === undefined) return
    const key = coolDownKey(peak.asset, 'marketWide', peak.direction)
    countPeak(counts, step, at, { asset: peak.asset, kind: 'marketWide', key, peak })
  })
}

function countPeak(
  tally: Tally,
  step: number,
  at: number,
  { asset, kind, key, peak }: { asset: string; kind: TalliedKind; key: string; peak: Peak },
): void {
  const coolDowns = tally.coolDowns[step] ?? {}
  if (applyCoolDown(coolDowns, key, at, peak.strength) === 'held') return
  const { peaks } = getOrCreateCounts(tally, at, asset)
  const counts = peaks[kind] ?? TRIED_THRESHOLDS.map(() => 0)
  counts[step] = (counts[step] ?? 0) + 1
  peaks[kind] = counts
}

function getOrCreateCounts(tally: Tally, at: number, asset: string): Counts {
  const { assets } = getOrCreateDay(tally, at)
  const counts = assets[asset] ?? { alerts: 0, peaks: {} }
  assets[asset] = counts
  return counts
}

function getOrCreateDay(counts: Tally, at: number): TalliedDay {
  const start = at - (at % DAY_MS)
  const newest = counts.days.at(-1)
  if (newest !== undefined && newest.start >= start) return newest
  const day = { start, minutes: 0, assets: {} }
  counts.days = [...counts.days.filter((earlier) => earlier.start > start - TALLIED_DAYS * DAY_MS), day]
  return day
}
