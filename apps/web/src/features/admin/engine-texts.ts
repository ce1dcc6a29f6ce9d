import { type EngineStatus, type ThresholdKind, thresholdKinds } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import type { BadgeTone } from '../../ui/badge.tsx'
import { formatDuration } from '../alert/alert-texts.ts'

type Market = EngineStatus['markets'][number]
type Asset = EngineStatus['assets'][number]

/**
 * Maximum time between the exchange's time of the newest trade and its arrival at the engine. If it
 * takes longer, the market counts as lagging.
 */
export const LAG_LIMIT_MS = 5_000
const DAY_MINUTES = 1_440

export const kindLabels: Record<ThresholdKind, string> = {
  price: 'Price move',
  volume: 'Volume spike',
  volatility: 'Volatility shift',
  marketWide: 'Market-wide move',
}

export const modeLabels: Record<EngineStatus['mode'], string> = {
  live: 'Live markets',
  replay: 'Recording',
  simulated: 'Simulated market',
}

interface BadgeState {
  tone: BadgeTone
  words: string
}

/** Returns the most urgent state of a market, for the operator. */
export function describeMarketState(
  { market, newestTradeAt, isCatchingUp, lagMs }: Market,
  sources: EngineStatus['sources'],
): BadgeState {
  const source = sources.find(({ venue }) => market.startsWith(`${venue}:`))
  if (source?.state === 'connecting') return { tone: 'critical', words: 'Not connected' }
  if (isCatchingUp) return { tone: 'medium', words: 'Catching up' }
  if (newestTradeAt === null) return { tone: 'neutral', words: 'No trade yet' }
  if (lagMs !== null && lagMs > LAG_LIMIT_MS) return { tone: 'medium', words: 'Lagging' }
  return { tone: 'ok', words: 'Up to date' }
}

/**
 * Returns the state, in a neutral tone if the engine is silent, because the state may be outdated
 * then.
 */
export function toNeutralIfSilent({ tone, words }: BadgeState, isSilent: boolean): BadgeState {
  return { tone: isSilent ? 'neutral' : tone, words }
}

/** Formats 84 as "84 ms" and 5300 as "5.3 s". */
export function formatLag(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : formatDuration(ms)
}

/**
 * Returns the ISO time from which an alert of this priority is allowed again. Null if it is allowed
 * now.
 * @param nowMs event time of the engine
 */
export function findNextAllowedAt(usedAt: string | null, priority: 'critical' | 'high', nowMs: number): string | null {
  if (usedAt === null) return null
  const allowedAtMs = Date.parse(usedAt) + (priority === 'critical' ? 7 * DAY_MS : DAY_MS)
  return allowedAtMs > nowMs ? new Date(allowedAtMs).toISOString() : null
}

/** Returns for how long the engine has observed the markets, in days. */
export function computeWatchedDays({ days }: Pick<EngineStatus, 'days'>): number {
  return days.reduce((sum, { minutes }) => sum + minutes, 0) / DAY_MINUTES
}

interface TriedCount {
  count: number
  /**
   * Null if the engine has observed the markets for less than a day, which is too short for a rate.
   */
  perDay: number | null
  isPresent: boolean
}

export interface ThresholdRow {
  threshold: number
  counts: Record<ThresholdKind, TriedCount>
}

/**
 * Returns a row for each threshold that the engine tries, with the number of alerts that the
 * threshold would have raised.
 * @param asset name of one asset; undefined for all
 */
export function createThresholdRows(status: EngineStatus, asset: string | undefined): ThresholdRow[] {
  const assets = status.assets.filter((one) => asset === undefined || one.asset === asset)
  const days = computeWatchedDays(status)
  const countTried = (kind: ThresholdKind, thresholdIndex: number): TriedCount => {
    const count = assets.reduce((sum, { peaks }) => sum + (peaks[kind][thresholdIndex] ?? 0), 0)
    const isPresent = status.thresholds[kind] === status.triedThresholds[thresholdIndex]
    return { count, perDay: days < 1 ? null : count / days, isPresent }
  }
  return status.triedThresholds.map((threshold, index) => ({
    threshold,
    counts: {
      price: countTried('price', index),
      volume: countTried('volume', index),
      volatility: countTried('volatility', index),
      marketWide: countTried('marketWide', index),
    },
  }))
}

/** Returns the current thresholds for which `createThresholdRows` returns no row. */
export function listUnlistedThresholds({ thresholds, triedThresholds }: EngineStatus): string[] {
  return thresholdKinds.flatMap((kind) =>
    triedThresholds.includes(thresholds[kind]) ? [] : [`${kindLabels[kind]} ${thresholds[kind]}`],
  )
}

export function sumCounts(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Returns the number of alerts on each day, summed over the assets. */
export function countAlertsByDay(assets: readonly Asset[], days: EngineStatus['days']): number[] {
  return days.map((_, index) => sumCounts(assets.map(({ alerts }) => alerts[index] ?? 0)))
}
