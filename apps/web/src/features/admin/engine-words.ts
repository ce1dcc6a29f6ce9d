import type { EngineStatus } from '@tocsin/protocol'
import type { BadgeTone } from '../../ui/badge.tsx'
import { durationWords } from '../alert/alert-words.ts'

type Market = EngineStatus['markets'][number]

/** A market whose newest trade took longer than this to arrive lags. */
export const LAG_LIMIT_MS = 5_000

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

export function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
