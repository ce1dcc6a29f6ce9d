/** Closed rows are of one height, one at a time may be opened and taller: where each is can be told without asking the page. */
export type RowSizes = { count: number; rowPx: number; openIndex: number; openPx: number }

export function topOf(index: number, { rowPx, openIndex, openPx }: RowSizes): number {
  return index * rowPx + (openIndex >= 0 && index > openIndex ? openPx : 0)
}

export function heightOf(sizes: RowSizes): number {
  return topOf(sizes.count, sizes)
}

/** The row at a height, within the list. */
export function indexAt(px: number, sizes: RowSizes): number {
  const { count, rowPx, openIndex, openPx } = sizes
  const isBelow = openIndex >= 0 && px >= topOf(openIndex + 1, sizes)
  const index = Math.floor((isBelow ? px - openPx : px) / rowPx)
  const inOpen = openIndex >= 0 && !isBelow && index > openIndex ? openIndex : index
  return Math.min(Math.max(inOpen, 0), Math.max(count - 1, 0))
}

/** Rows from `first` up to `last`, and those that must be there wherever the reader is, in order. */
export function rowsToDraw(first: number, last: number, kept: readonly number[], count: number): number[] {
  const rows = new Set(kept.filter((index) => index >= 0 && index < count))
  for (let index = Math.max(0, first); index <= Math.min(last, count - 1); index++) rows.add(index)
  return [...rows].sort((a, b) => a - b)
}
