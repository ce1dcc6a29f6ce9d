import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type CandleRow, toCandleRow } from '../candles.ts'
import { toTrade, type WireTrade } from '../sources/frame.ts'
import { openZippedFile, pipeErrors } from './zip.ts'

/** One file of the archive, named like `BTCUSDT-trades-2025-02-01.zip`. */
export interface ArchiveFile {
  path: string
  symbol: string
  kind: 'trades' | 'candles'
  /** Day or month, `2025-02-01` or `2025-02`. */
  date: string
}

/**
 * A candle of the archive, with the part of its volume that takers bought (null if the file lacks
 * it).
 */
export interface ArchiveCandle {
  row: CandleRow
  takerBuyVolume: string | null
}

const MAX_LINE_LENGTH = 10_000
const FILE_NAME_PATTERN = /^([A-Z0-9]+)-(trades|1m)-(\d{4}-\d{2}(?:-\d{2})?)\.(?:csv|csv\.gz|zip)$/

/**
 * Parses the name of an archive file. Returns null unless it is a file of trades or 1-minute
 * candles.
 */
export function parseArchiveName(path: string): ArchiveFile | null {
  const [, symbol, kind, date] = FILE_NAME_PATTERN.exec(path.split('/').at(-1) ?? '') ?? []
  if (symbol === undefined || date === undefined) return null
  return { path, symbol, kind: kind === 'trades' ? 'trades' : 'candles', date }
}

/** @throws Error naming the file and the line that is not a trade */
export async function* readTrades({ path, symbol }: ArchiveFile): AsyncGenerator<WireTrade> {
  for await (const { cells, line } of readCells(path)) {
    const [number, price, amount, , time, maker] = cells
    const side = /^true$/i.test(maker ?? '') ? 'sell' : /^false$/i.test(maker ?? '') ? 'buy' : null
    const trade = toTrade({ symbol, number, count: undefined, price, amount, time, side })
    if (typeof trade === 'string') throw new Error(`${path}: line ${line} is not a trade (${trade})`)
    yield trade
  }
}

/** @throws Error naming the file and the line that is not a candle */
export async function* readCandles({ path }: ArchiveFile): AsyncGenerator<ArchiveCandle> {
  for await (const { cells, line } of readCells(path)) {
    const [time, open, high, low, close, volume, , , , bought] = cells
    const row = toCandleRow([time, open, high, low, close, volume])
    if (!row) throw new Error(`${path}: line ${line} is not a candle`)
    yield { row, takerBuyVolume: bought ?? null }
  }
}

/** Yields the rows of a file without the header line, which only some files have. */
async function* readCells(path: string): AsyncGenerator<{ cells: string[]; line: number }> {
  let line = 0
  for await (const text of readLines(path)) {
    line += 1
    if (text === '' || (line === 1 && /^[a-z]/i.test(text))) continue
    yield { cells: text.split(','), line }
  }
}

async function openFile(path: string): Promise<Readable> {
  if (path.endsWith('.zip')) return openZippedFile(path)
  const data = createReadStream(path)
  return path.endsWith('.gz') ? pipeErrors(data, createGunzip()) : data
}

async function* readLines(path: string): AsyncGenerator<string> {
  let restText = ''
  const input = await openFile(path)
  try {
    for await (const chunk of input.setEncoding('latin1')) {
      const lines = `${restText}${chunk}`.split('\n')
      restText = lines.pop() ?? ''
      for (const text of lines) yield text.endsWith('\r') ? text.slice(0, -1) : text
      if (restText.length > MAX_LINE_LENGTH) throw new Error('a line is too long')
    }
  } catch (error) {
    throw new Error(`${path} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
  if (restText !== '') yield restText
}
