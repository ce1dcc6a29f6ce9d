import type { Row, Table } from './table.ts'

export interface Regression {
  row: Pick<Row, 'name' | 'unit'>
  earlierMedian: number
  /** Null if the figure was not measured. */
  currentMedian: number | null
}

/**
 * Compares the medians of a candidate with those of an earlier table.
 * @param tolerance 0.15 allows a figure to become worse by 15 %
 * @returns the figures that became worse by more than `tolerance`, or that are missing in `now`
 */
export function findRegressions(
  before: Pick<Table, 'rows'>,
  now: Pick<Table, 'rows'>,
  candidate: string,
  tolerance: number,
): Regression[] {
  const medians = new Map(now.rows.map(({ name, figures }) => [name, figures[candidate]?.median ?? null]))
  return before.rows.flatMap(({ name, unit, isHigherBetter, figures }) => {
    const earlier = figures[candidate]?.median
    if (earlier === undefined) return []
    const median = medians.get(name) ?? null
    const ratio = median === null ? Number.NaN : median / earlier
    const isWithinTolerance = isHigherBetter ? ratio >= 1 - tolerance : ratio <= 1 + tolerance
    return isWithinTolerance ? [] : [{ row: { name, unit }, earlierMedian: earlier, currentMedian: median }]
  })
}
