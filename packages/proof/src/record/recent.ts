import type { ControlRate } from './control-rates.ts'
import { createEpisodes } from './episodes.ts'
import { type Figures, summarize } from './figures.ts'
import type { RecordAlert } from './record-alert.ts'
import type { RecordAnchor } from './record-entry.ts'

/**
 * The record of the last 30 days before an anchor, which a reader can recompute without the entries
 * before it.
 */
export interface RecentRecord {
  /** Begins with the first public alert that was issued at this time or later. */
  since: string
  fromIndex: number
  figures: Figures
}

const recentMs = 30 * 86_400_000

/** @param alerts all alerts of the record, by rising index */
export function findRecent(
  alerts: readonly RecordAlert[],
  { blockAt, size }: RecordAnchor,
  controlRates: ReadonlyMap<number, ControlRate>,
): RecentRecord {
  const sinceMs = Date.parse(blockAt) - recentMs
  const first = alerts.find(({ statement, createdMs }) => statement !== null && createdMs >= sinceMs)
  const fromIndex = first?.index ?? size
  return {
    since: new Date(sinceMs).toISOString(),
    fromIndex,
    figures: summarizeFrom(alerts, fromIndex, controlRates),
  }
}

/** The figures of the alerts from an index on. Episodes restart there. */
export function summarizeFrom(
  alerts: readonly RecordAlert[],
  fromIndex: number,
  controlRates: ReadonlyMap<number, ControlRate> = new Map(),
): Figures {
  const isFirstOfEpisode = createEpisodes()
  const recent = alerts
    .filter(({ index }) => index >= fromIndex)
    .map((alert) => ({
      ...alert,
      isFirstOfEpisode: alert.forecast === null || isFirstOfEpisode(alert.forecast.prediction),
    }))
  return summarize(recent, controlRates)
}
