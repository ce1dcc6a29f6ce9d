import { gunzipSync, inflateRawSync } from 'node:zlib'
import { type Candle, getDaySpan, parseCandles } from '@tocsin/proof'

/** Maximum size of an unpacked file in bytes. A day of candles has about 100 KB. */
const MAX_BYTES = 16 * 2 ** 20

/**
 * Reads the one-minute candles of a UTC day: JSON rows as in the log format, or CSV as in Binance's
 * public archive (times in milliseconds or microseconds, with or without header), also as gzip or
 * zip.
 * @throws Error naming what is malformed
 */
export function readArchiveFile(file: Uint8Array, day: string): Candle[] {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(unpack(Buffer.from(file))).trim()
  const rows = text.startsWith('[') || text.startsWith('{') ? readJsonRows(text) : text.split(/\r?\n/).flatMap(readLine)
  return parseCandles(rows, getDaySpan(day))
}

function unpack(file: Buffer): Buffer {
  const limit = { maxOutputLength: MAX_BYTES }
  if (file.readUInt16BE(0) === 0x1f8b) return gunzipSync(file, limit)
  return file.subarray(0, 4).toString('latin1') === 'PK\x03\x04' ? unzipFirstFile(file) : file
}

/** Returns the content of the first file in a zip archive (APPNOTE.TXT 4.3): stored or deflated. */
function unzipFirstFile(file: Buffer): Buffer {
  // The sizes are in the central directory; the local header may leave them out.
  const entry = file.indexOf('PK\x01\x02', 0, 'latin1')
  if (entry === -1) throw new Error('The zip file has no directory')
  const method = file.readUInt16LE(entry + 10)
  const size = file.readUInt32LE(entry + 20)
  const localOffset = file.readUInt32LE(entry + 42)
  const start = localOffset + 30 + file.readUInt16LE(localOffset + 26) + file.readUInt16LE(localOffset + 28)
  const content = file.subarray(start, start + size)
  if (method === 0) return content
  if (method === 8) return inflateRawSync(content, { maxOutputLength: MAX_BYTES })
  throw new Error(`The zip file uses compression method ${method}`)
}

function readJsonRows(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null && 'candles' in value ? value.candles : value
}

const microsecondDigits = 16

function readLine(line: string): unknown[] {
  const [time = '', ...columns] = line.split(',')
  // Skips a header line with the names of the columns.
  if (!/^\d+$/.test(time)) return []
  const openTime = Number(time) / (time.length >= microsecondDigits ? 1e6 : time.length > 10 ? 1e3 : 1)
  return [[openTime, ...columns.slice(0, 5)]]
}
