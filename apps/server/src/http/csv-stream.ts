import type { Readable } from 'node:stream'
import { STALL_MS, streamChunks } from './chunk-stream.ts'
import { type CsvField, formatCsv, formatCsvLines } from './csv.ts'

/**
 * Streams a CSV file, so that its rows are not all in memory. The next page is generated when the
 * client has read the previous one.
 * @param pages lists of rows; each list must have at least one row
 */
export function streamCsv(header: readonly string[], pages: AsyncGenerator<CsvField[][]>): Readable {
  return streamChunks(formatPages(header, pages), STALL_MS, () => {})
}

async function* formatPages(header: readonly string[], pages: AsyncGenerator<CsvField[][]>): AsyncGenerator<string> {
  yield formatCsv(header, [])
  for await (const rows of pages) yield formatCsvLines(rows)
}
