import type { ControlRate } from './control-rates.ts'
import { createEpisodes } from './episodes.ts'
import { createFigures, type Figures } from './figures.ts'
import type { CountedAlert } from './record-alert.ts'
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

/** When the recent record begins, in milliseconds. */
export function recentSince({ blockAt }: Pick<RecordAnchor, 'blockAt'>): number {
  return Date.parse(blockAt) - recentMs
}

/** The figures of the alerts from an index on. Episodes restart there. */
export function createRecentFigures(fromIndex: number) {
  const figures = createFigures()
  const isFirstOfEpisode = createEpisodes()
  return {
    ...figures,
    add(alert: CountedAlert, controlRate?: ControlRate): void {
      if (alert.index < fromIndex) return
      const isFirst = alert.forecast === null || isFirstOfEpisode(alert.forecast.prediction)
      figures.add({ ...alert, isFirstOfEpisode: isFirst }, controlRate)
    },
  }
}

/** @param alerts by rising index */
export function summarizeFrom(
  alerts: Iterable<CountedAlert>,
  fromIndex: number,
  controlRates: ReadonlyMap<number, ControlRate> = new Map(),
): Figures {
  const figures = createRecentFigures(fromIndex)
  for (const alert of alerts) figures.add(alert, controlRates.get(alert.index))
  return figures.finish()
}
