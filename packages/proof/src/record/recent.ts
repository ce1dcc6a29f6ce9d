import type { ControlRate } from './control-rates.ts'
import { createEpisodeStartCheck } from './episodes.ts'
import { createFigures, type Figures } from './figures.ts'
import type { CountedAlert } from './record-alert.ts'
import type { RecordAnchor } from './record-entry.ts'

/**
 * The record of the 30 days before an anchor. A reader can recompute it without earlier entries.
 */
export interface RecentRecord {
  /** Start of the 30 days. The record begins with the first public alert issued at or after it. */
  since: string
  fromIndex: number
  figures: Figures
}

const recentMs = 30 * 86_400_000

/**
 * Start of the recent record: 30 days before the anchor's block, in milliseconds since the epoch.
 */
export function getRecentStartMs({ blockAt }: Pick<RecordAnchor, 'blockAt'>): number {
  return Date.parse(blockAt) - recentMs
}

/**
 * Computes the figures of the alerts from an index on. Episodes that began before this index are
 * ignored: the first alert of each series starts a new episode.
 */
export function createRecentFigures(fromIndex: number) {
  const figures = createFigures()
  const isFirstOfEpisode = createEpisodeStartCheck()
  return {
    ...figures,
    add(alert: CountedAlert, controlRate?: ControlRate): void {
      if (alert.index < fromIndex) return
      const isFirst = alert.forecast === null || isFirstOfEpisode(alert.forecast.prediction)
      figures.add({ ...alert, isFirstOfEpisode: isFirst }, controlRate)
    },
  }
}

/** @param alerts in ascending index order */
export function summarizeFrom(
  alerts: Iterable<CountedAlert>,
  fromIndex: number,
  controlRates: ReadonlyMap<number, ControlRate> = new Map(),
): Figures {
  const figures = createRecentFigures(fromIndex)
  for (const alert of alerts) figures.add(alert, controlRates.get(alert.index))
  return figures.finish()
}
