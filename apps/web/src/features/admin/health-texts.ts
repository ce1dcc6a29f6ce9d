import type { BusinessBand, BusinessHealth, Priority } from '@tocsin/protocol'
import { formatAge, formatUptime } from '../../ui/format-duration.ts'
import { noCounts, type PriorityCounts } from './priority-bars.tsx'

export const bandLabels: Record<BusinessBand, string> = { feed: 'Feed', engine: 'Engine', anchors: 'Anchors' }

/** Formats a length of time: "12 s", "14 min" or "4 h 12 min". */
export const formatTimeSpan = (ms: number) => (ms < 60_000 ? formatAge(ms) : formatUptime(ms))

type Band = BusinessHealth['bands'][number]

/**
 * Returns the length of each outage (gap) of a source in milliseconds. An outage that has not ended
 * is measured until `asOf`.
 */
export function computeGapLengths({ gaps }: Band, asOf: string): number[] {
  return gaps.map(({ from, to }) => Date.parse(to ?? asOf) - Date.parse(from))
}

/**
 * Describes the outages (gaps) of a source: "no gap", "1 gap of 3 min", "2 gaps, 14 min in total",
 * "a gap now" or "no data yet".
 */
export function describeGaps(band: Band, asOf: string): string {
  if (band.state === null) return 'no data yet'
  const lengths = computeGapLengths(band, asOf)
  const totalText = formatTimeSpan(lengths.reduce((sum, one) => sum + one, 0))
  if (lengths.length === 0) return band.state === 'gap' ? 'a gap now' : 'no gap'
  return lengths.length === 1 ? `1 gap of ${totalText}` : `${lengths.length} gaps, ${totalText} in total`
}

/**
 * Sums the counts of rows with the same name. The result begins with the names in `order`,
 * including names that have no row.
 */
export function groupCounts<Row extends { priority: Priority; count: number }>(
  rows: readonly Row[],
  getName: (row: Row) => string,
  order: readonly string[] = [],
): { name: string; counts: PriorityCounts }[] {
  const groups = new Map<string, PriorityCounts>(order.map((name) => [name, { ...noCounts }]))
  for (const row of rows) {
    const counts = groups.get(getName(row)) ?? { ...noCounts }
    counts[row.priority] += row.count
    groups.set(getName(row), counts)
  }
  return [...groups].map(([name, counts]) => ({ name, counts }))
}
