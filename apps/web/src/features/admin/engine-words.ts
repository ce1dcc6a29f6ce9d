import { type EngineStatus, type ThresholdKind, thresholdKinds } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import type { BadgeTone } from '../../ui/badge.tsx'
import { durationWords } from '../alert/alert-words.ts'

type Market = EngineStatus['markets'][number]
type Asset = EngineStatus['assets'][number]

/** A market whose newest trade took longer than this to arrive lags. */
export const LAG_LIMIT_MS = 5_000
const DAY_MINUTES = 1_440

export const kindWords: Record<ThresholdKind, string> = {
  price: 'Price move',
  volume: 'Volume spike',
  volatility: 'Volatility shift',
  marketWide: 'Market-wide move',
}

export const modeWords: Record<EngineStatus['mode'], string> = {
  live: 'Live markets',
  replay: 'Recording',
  simulated: 'Simulated market',
}

interface State {
  tone: BadgeTone
  words: string
}

/** What an operator should know first about a market. */
export function marketState(
  { market, newestTradeAt, isCatchingUp, lagMs }: Market,
  sources: EngineStatus['sources'],
): State {
  const source = sources.find(({ venue }) => market.startsWith(`${venue}:`))
  if (source?.state === 'connecting') return { tone: 'critical', words: 'Not connected' }
  if (isCatchingUp) return { tone: 'medium', words: 'Catching up' }
  if (newestTradeAt === null) return { tone: 'neutral', words: 'No trade yet' }
  if (lagMs !== null && lagMs > LAG_LIMIT_MS) return { tone: 'medium', words: 'Lagging' }
  return { tone: 'ok', words: 'Up to date' }
}

/** The state as it was last known: nothing that a silent engine has said is still good or bad. */
export function lastKnown({ tone, words }: State, isSilent: boolean): State {
  return { tone: isSilent ? 'neutral' : tone, words }
}

/** 84 as "84 ms", 5300 as "5.3 s". */
export function lagWords(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : durationWords(ms)
}

/**
 * When the budget of a priority is free again, as ISO time. Null: it is free.
 * @param nowMs event time of the engine
 */
export function freeFrom(usedAt: string | null, priority: 'critical' | 'high', nowMs: number): string | null {
  if (usedAt === null) return null
  const freeMs = Date.parse(usedAt) + (priority === 'critical' ? 7 * DAY_MS : DAY_MS)
  return freeMs > nowMs ? new Date(freeMs).toISOString() : null
}

/** Days that the engine has watched, as the sum of the minutes. */
export function watchedDays({ days }: Pick<EngineStatus, 'days'>): number {
  return days.reduce((sum, { minutes }) => sum + minutes, 0) / DAY_MINUTES
}

interface TriedCount {
  count: number
  /** Null if less than a day was watched: too little to tell. */
  perDay: number | null
  isPresent: boolean
}

export interface ThresholdRow {
  threshold: number
  counts: Record<ThresholdKind, TriedCount>
}

/** @param asset name of one asset; undefined for all */
export function thresholdRows(status: EngineStatus, asset: string | undefined): ThresholdRow[] {
  const assets = status.assets.filter((one) => asset === undefined || one.asset === asset)
  const days = watchedDays(status)
  const countOf = (kind: ThresholdKind, at: number): TriedCount => {
    const count = assets.reduce((sum, { peaks }) => sum + (peaks[kind][at] ?? 0), 0)
    const isPresent = status.thresholds[kind] === status.triedThresholds[at]
    return { count, perDay: days < 1 ? null : count / days, isPresent }
  }
  return status.triedThresholds.map((threshold, at) => ({
    threshold,
    counts: {
      price: countOf('price', at),
      volume: countOf('volume', at),
      volatility: countOf('volatility', at),
      marketWide: countOf('marketWide', at),
    },
  }))
}

/** Current thresholds for which the engine reports no comparison. */
export function unlistedThresholds({ thresholds, triedThresholds }: EngineStatus): string[] {
  return thresholdKinds.flatMap((kind) =>
    triedThresholds.includes(thresholds[kind]) ? [] : [`${kindWords[kind]} ${thresholds[kind]}`],
  )
}

export function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Alerts of all assets by day. */
export function alertsByDay(assets: readonly Asset[], days: EngineStatus['days']): number[] {
  return days.map((_, at) => sumOf(assets.map(({ alerts }) => alerts[at] ?? 0)))
}
