/**
 * Closed rows have the same height and at most one row is open, so positions are computed without
 * measuring the DOM.
 */
export type RowSizes = { count: number; rowPx: number; openIndex: number; openPx: number }

export function topOf(index: number, { rowPx, openIndex, openPx }: RowSizes): number {
  return index * rowPx + (openIndex >= 0 && index > openIndex ? openPx : 0)
}

export function heightOf(sizes: RowSizes): number {
  return topOf(sizes.count, sizes)
}

/** Index of the row at a vertical offset within the list. */
export function indexAt(px: number, sizes: RowSizes): number {
  const { count, rowPx, openIndex, openPx } = sizes
  const isBelow = openIndex >= 0 && px >= topOf(openIndex + 1, sizes)
  const index = Math.floor((isBelow ? px - openPx : px) / rowPx)
  const inOpen = openIndex >= 0 && !isBelow && index > openIndex ? openIndex : index
  return Math.min(Math.max(inOpen, 0), Math.max(count - 1, 0))
}

/**
 * Indexes of the rows from `first` to `last` plus the `kept` ones, ascending and within the list.
 */
export function rowsToDraw(first: number, last: number, kept: readonly number[], count: number): number[] {
  const rows = new Set(kept.filter((index) => index >= 0 && index < count))
  for (let index = Math.max(0, first); index <= Math.min(last, count - 1); index++) rows.add(index)
  return [...rows].sort((a, b) => a - b)
}
