import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { EngineEvent } from '@tocsin/engine'
import { describe, expect, onTestFinished, test } from 'vitest'
import { getZip } from '../../test/zip.ts'
import type { Market } from '../market.ts'
import { createRecordedCandles, findRecordings, readEvents } from './folder.ts'

const first = Date.parse('2025-02-01T00:00:00Z')

function createFolder(files: Record<string, string | Buffer>): string {
  const folder = mkdtempSync(join(tmpdir(), 'engine-archive-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

async function readFolder(
  files: Record<string, string | Buffer>,
  wantedMarkets: Market[] = [],
): Promise<EngineEvent[]> {
  const events: EngineEvent[] = []
  for await (const event of readEvents(findRecordings(createFolder(files), wantedMarkets).events)) events.push(event)
  return events
}

const TRADES_HEADER = 'id,price,qty,quote_qty,time,is_buyer_maker\n'
const CANDLES_HEADER =
  'open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore\n'
const formatTradeLine = (number: number, at = first + number, maker = 'True', unit = '000') =>
  `${number},17.80180000,5.69000000,101.29,${at}${unit},${maker},True\n`
const formatCandleLine = (minute: number, unit = '000') =>
  `${first + 60_000 * minute}${unit},0.3790,0.3795,0.3783,0.3788,434592.5,0,1,2,245241.0,3,0\n`

test.each<[string, Record<string, string | Buffer>, RegExp]>([
  ['no such file', { 'readme.txt': 'hello' }, /has no files such as BTCUSDT-trades-/],
  ['a symbol without a known quote', { 'ABCXYZ-1m-2025-02.csv': formatCandleLine(0) }, /market of ABCXYZ is unknown/],
  [
    'a line that is not a trade',
    { 'BTCUSDT-trades-2025-02-01.csv': `${formatTradeLine(1)}2,NaN,1,1,1,True\n` },
    /line 2 is not a trade \(bad-price\)/,
  ],
  [
    'a trade without a side',
    { 'BTCUSDT-trades-2025-02-01.csv': formatTradeLine(1, first, 'maybe') },
    /line 1 is not a trade \(bad-side\)/,
  ],
  ['a line that is not a candle', { 'BTCUSDT-1m-2025-02.csv': '1,2,3\n' }, /line 1 is not a candle/],
  ['a second header', { 'BTCUSDT-1m-2025-02.csv': CANDLES_HEADER + CANDLES_HEADER }, /line 2 is not a candle/],
  ['an endless line', { 'BTCUSDT-1m-2025-02.csv': '1'.repeat(100_000) }, /a line is too long/],
  [
    'half a zip archive',
    { 'BTCUSDT-1m-2025-02.zip': getZip(formatCandleLine(0)).subarray(0, 60) },
    /is not a complete zip archive/,
  ],
  [
    'half a gzip file',
    { 'BTCUSDT-1m-2025-02.csv.gz': gzipSync(formatCandleLine(0)).subarray(0, 40) },
    /cannot be read/,
  ],
  [
    'a zip archive of two files',
    { 'BTCUSDT-1m-2025-02.zip': getZip(formatCandleLine(0), 2) },
    /does not hold exactly one file/,
  ],
  [
    'a damaged zip archive',
    { 'BTCUSDT-1m-2025-02.zip': getZip(formatCandleLine(0)).fill(0xff, 40, 60) },
    /cannot be read/,
  ],
])('recorded events: fail with the file’s name when the folder has %s', async (_name, files, message) => {
  await expect(readFolder(files)).rejects.toThrow(message)
})

test('recorded events: fail when a requested market has no file', async () => {
  const wantedMarkets: Market[] = [{ venue: 'binance', name: 'ETH/USDT' }]
  await expect(readFolder({ 'BTCUSDT-1m-2025-02.csv': formatCandleLine(0) }, wantedMarkets)).rejects.toThrow(
    /no files of binance:ETH\/USDT/,
  )
})

describe.each(['csv', 'csv.gz', 'zip'])('recorded %s file', (ext) => {
  const packContent = (content: string) =>
    ext === 'zip' ? getZip(content) : ext === 'csv' ? content : gzipSync(content)

  test.each([
    ['microseconds without a header', '', '866', '\n'],
    ['microseconds with a header', TRADES_HEADER, '866', '\n'],
    ['milliseconds with a header', TRADES_HEADER, '', '\n'],
    ['milliseconds without a header, lines of Windows', '', '', '\r\n'],
  ])('of trades: produces the expected ticks when it has %s', async (_name, header, unit, end) => {
    const content = header + formatTradeLine(7, first, 'True', unit) + formatTradeLine(8, first + 1, 'false', unit)
    const tick = { type: 'tick', venue: 'binance', market: 'BTC/USDT', count: 1, price: 17.8018, amount: 5.69 }
    expect(
      await readFolder({ [`BTCUSDT-trades-2025-02-01.${ext}`]: packContent(content.replaceAll('\n', end)) }),
    ).toEqual([
      { ...tick, number: 7, at: first, takerSide: 'sell' },
      { ...tick, number: 8, at: first + 1, takerSide: 'buy' },
    ])
  })

  test.each([
    ['microseconds without a header', '', '000'],
    ['milliseconds with a header', CANDLES_HEADER, ''],
  ])('of candles: produces the expected candle when it has %s', async (_name, header, unit) => {
    expect(
      await readFolder({ [`BTCUSDT-1m-2025-02.${ext}`]: packContent(header + formatCandleLine(0, unit)) }),
    ).toEqual([
      {
        type: 'candle',
        venue: 'binance',
        market: 'BTC/USDT',
        at: first,
        open: 0.379,
        high: 0.3795,
        low: 0.3783,
        close: 0.3788,
        volume: 434_592.5,
        takerBuyVolume: 245_241,
      },
    ])
  })
})

test('recorded events: report a gap when trade numbers are missing, and skip repeated trades when files overlap', async () => {
  const events = await readFolder({
    'BTCUSDT-trades-2025-02-02.csv': formatTradeLine(2) + formatTradeLine(6),
    'BTCUSDT-trades-2025-02-01.csv': formatTradeLine(1) + formatTradeLine(2) + formatTradeLine(2),
  })
  expect(events.map((event) => (event.type === 'tick' ? event.number : event))).toEqual([
    1,
    2,
    { type: 'gap', venue: 'binance', market: 'BTC/USDT', from: first + 2, to: first + 7 },
    6,
  ])
})

test('recorded events: are in time order regardless of the names and the order of the files', async () => {
  const eth = { 'okx/ETHUSDT-trades-2025-02-01.csv': formatTradeLine(1) + formatTradeLine(4) }
  const btc = { 'BTCUSDT-trades-2025-02-01.csv': formatTradeLine(2) + formatTradeLine(3) + formatTradeLine(5) }
  const laterFiles = { 'deep/BTCUSDT-trades-2025-02-02.csv': formatTradeLine(9) }
  const events = await readFolder({ ...eth, ...btc, ...laterFiles })
  expect(await readFolder({ ...laterFiles, ...btc, ...eth })).toEqual(events)
  expect(events.flatMap((event) => (event.type === 'tick' ? [`${event.venue} ${event.number}`] : []))).toEqual([
    'okx 1',
    'binance 2',
    'binance 3',
    'okx 4',
    'binance 5',
    'binance 9',
  ])
})

test('recorded events: use trades and not candles when a market has both', async () => {
  const files = { 'BTCUSDT-trades-2025-02-01.csv': formatTradeLine(1), 'BTCUSDT-1m-2025-02.csv': formatCandleLine(0) }
  expect((await readFolder(files)).map(({ type }) => type)).toEqual(['tick'])
  expect(findRecordings(createFolder(files), []).candles).toHaveLength(1)
})

test('recorded candles: keep every digit when a window spans two files', async () => {
  const folder = createFolder({
    'BTCUSDT-1m-2025-02-01.csv': CANDLES_HEADER + formatCandleLine(1_438) + formatCandleLine(1_439),
    'BTCUSDT-1m-2025-02-02.zip': getZip(formatCandleLine(1_440) + formatCandleLine(1_442)),
  })
  const candles = createRecordedCandles(findRecordings(folder, []).candles)
  const rows = await candles('binance', 'BTCUSDT', first / 1_000 + 60 * 1_439, first / 1_000 + 60 * 1_443)
  const createCandle = (minute: number) => [
    first / 1_000 + 60 * minute,
    '0.3790',
    '0.3795',
    '0.3783',
    '0.3788',
    '434592.5',
  ]
  expect(rows).toEqual([createCandle(1_439), createCandle(1_440), createCandle(1_442)])
  await expect(candles('okx', 'BTC-USDT', 0, 60)).rejects.toThrow('no candles of okx BTC-USDT')
})

test('recorded candles: are read again after a read has failed', async () => {
  const folder = createFolder({ 'BTCUSDT-1m-2025-02-01.csv': `${formatCandleLine(0)}damaged\n` })
  const candles = createRecordedCandles(findRecordings(folder, []).candles)
  const readFirstMinute = () => candles('binance', 'BTCUSDT', first / 1_000, first / 1_000 + 60)
  await expect(readFirstMinute()).rejects.toThrow('is not a candle')
  writeFileSync(join(folder, 'BTCUSDT-1m-2025-02-01.csv'), formatCandleLine(0))
  expect(await readFirstMinute()).toHaveLength(1)
})
