const PAGE_ROWS = 1_000

/**
 * Reads all rows of a list page by page, which limits the size of each query. Yields only pages
 * that have rows.
 * @param load reads at most `limit` rows after the row `last`, or the first rows
 */
export async function* readPages<Row>(
  load: (last: Row | undefined, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let last: Row | undefined, isMore = true; isMore; ) {
    const rows = await load(last, PAGE_ROWS)
    if (rows.length > 0) yield rows
    last = rows.at(-1)
    isMore = rows.length === PAGE_ROWS
  }
}
