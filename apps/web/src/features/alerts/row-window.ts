/**
 * Sizes from which the positions of rows are computed without measuring the DOM: closed rows have
 * the same height, and at most one row is open. `headingIndexes` contains the indexes of the rows
 * that have a heading above them, ascending.
 */
export type RowSizes = {
  count: number
  rowPx: number
  openIndex: number
  openPx: number
  headingIndexes: readonly number[]
  headingPx: number
}

export function getRowTopPx(index: number, { rowPx, openIndex, openPx, headingIndexes, headingPx }: RowSizes): number {
  const headsAbove = headingIndexes.filter((head) => head <= index).length
  return index * rowPx + headsAbove * headingPx + (openIndex >= 0 && index > openIndex ? openPx : 0)
}

export function getHeight(sizes: RowSizes): number {
  return getRowTopPx(sizes.count, sizes)
}

/**
 * Returns the index of the row at a vertical offset within the list. A heading counts as part of
 * the row below it.
 */
export function findRowIndex(offsetPx: number, sizes: RowSizes): number {
  const { count, headingPx } = sizes
  let [low, high] = [0, Math.max(count - 1, 0)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (getRowTopPx(middle, sizes) - (sizes.headingIndexes.includes(middle) ? headingPx : 0) <= offsetPx) low = middle
    else high = middle - 1
  }
  return low
}

/**
 * Returns the indexes of the rows from `first` to `last` and of the `pinnedIndexes` rows, ascending
 * and without indexes outside of the list.
 */
export function listRowsToDraw(first: number, last: number, pinnedIndexes: readonly number[], count: number): number[] {
  const rows = new Set(pinnedIndexes.filter((index) => index >= 0 && index < count))
  for (let index = Math.max(0, first); index <= Math.min(last, count - 1); index++) rows.add(index)
  return [...rows].sort((a, b) => a - b)
}

/** Returns the headings above the rows from `first` to `last`. */
export function filterHeadings<Head extends { index: number }>(first: number, last: number, heads: readonly Head[]) {
  return heads.filter(({ index }) => index >= first && index <= last)
}

/** Returns how many closed rows fit in the window if the list begins at `topPx`. */
export function countRowsInView(topPx: number, windowPx: number, { rowPx }: Pick<RowSizes, 'rowPx'>): number {
  return Math.ceil((windowPx - Math.max(0, topPx)) / rowPx)
}

export type RowRange = { first: number; last: number }

/** Maximum number of rows that are drawn immediately after a jump. */
const maxRowsPerRender = 12

/**
 * Returns the rows to draw immediately: the visible rows, and the rows of `nextRows` that are
 * already drawn. After a jump, returns at most the first `maxRowsPerRender` visible rows.
 * @param nextRows the visible rows and the rows around them; those that are not returned are drawn
 *   later
 */
export function limitRenderedRows(drawnRows: RowRange, visibleRows: RowRange, nextRows: RowRange): RowRange {
  // After a jump no row of `nextRows` has been drawn before, and drawing all rows of a tall window
  // would be a long task.
  if (drawnRows.first > nextRows.last || drawnRows.last < nextRows.first)
    return { first: visibleRows.first, last: Math.min(visibleRows.last, visibleRows.first + maxRowsPerRender - 1) }
  return {
    first: Math.max(nextRows.first, Math.min(drawnRows.first, visibleRows.first)),
    last: Math.min(nextRows.last, Math.max(drawnRows.last, visibleRows.last)),
  }
}

/** Returns the drawn rows, extended towards `nextRows` by at most `step` rows at each end. */
export function extendRows(drawnRows: RowRange, nextRows: RowRange, step: number): RowRange {
  return {
    first: Math.max(nextRows.first, drawnRows.first - step),
    last: Math.min(nextRows.last, drawnRows.last + step),
  }
}
