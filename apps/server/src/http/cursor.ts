/** Parses a numeric cursor. An invalid cursor means the first page. */
export function parseCursor(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/**
 * Returns the page of `rows`, which were read with one row more than `limit`: the extra row tells
 * that there is another page.
 */
export function createPage<Row, Cursor>(rows: readonly Row[], limit: number, getCursor: (row: Row) => Cursor) {
  const items = rows.slice(0, limit)
  const last = rows.length > limit ? items.at(-1) : undefined
  return { items, nextCursor: last === undefined ? null : getCursor(last) }
}
