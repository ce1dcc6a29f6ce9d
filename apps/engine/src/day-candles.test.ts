import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Prediction } from '@tocsin/engine'
import { getDaySpan, parseCandles } from '@tocsin/proof'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { expect, onTestFinished, test } from 'vitest'
import { getPrediction } from '../test/fake-engine.ts'
import type { CandleRow } from './candles.ts'
import { createDayCandles } from './day-candles.ts'
import { type Message, openOutbox } from './store/outbox.ts'

const day = '2026-03-02'
const { from, until } = getDaySpan(day)
const midnight = until * 1_000
const readyMs = 5 * MINUTE_MS

const createRows = (first: number, to: number, price = '61204.10'): CandleRow[] =>
  Array.from({ length: (to - first) / 60 }, (_, index) => [first + 60 * index, price, price, price, price, '0.5'])

const createSignal = (at: number, change: Partial<Prediction> = {}): Message => ({
  kind: 'signal',
  id: `s${at}-${change.market}`,
  text: '{}',
  at,
  prediction: { ...getPrediction('binance', 'BTC/USDT', at), ...change },
})

function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'engine-days-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Opens the folder as a new process would. */
function openFolder(folder: string, answer: (symbol: string) => CandleRow[] | Error = () => createRows(from, until)) {
  const outbox = openOutbox(folder)
  let nowMs = 0
  const requests: string[] = []
  const logged: string[] = []
  const worker = createDayCandles({
    outbox,
    predictions: () => outbox.predictions(nowMs),
    readyMs,
    nowMs: () => nowMs,
    report: (messages) => void outbox.add(messages),
    log: (message) => void logged.push(message),
    async candles(venue, symbol, first, to) {
      requests.push(`${venue} ${symbol} ${first - from} ${to - from}`)
      const found = answer(symbol)
      if (found instanceof Error) throw found
      return found
    },
  })
  const sent = () =>
    outbox
      .after(0, 1_000, 0)
      .filter(({ kind }) => kind === 'candles')
      .map(({ text }) => JSON.parse(text))
  return {
    outbox,
    requests,
    logged,
    sent,
    async at(afterMidnightMs: number) {
      nowMs = midnight + afterMidnightMs
      await worker.check()
      return sent().length
    },
    /** Adds messages and marks them as offered, as if a product had requested them immediately. */
    predict(...messages: Message[]) {
      outbox.add(messages)
      outbox.offer(0, 100, messages[0]?.at ?? 0)
    },
  }
}

test('candles of a day: are not sent before the day has ended', async () => {
  const { at, predict, requests } = openFolder(createTemporaryFolder())
  predict(createSignal(midnight - 12 * HOUR_MS))
  expect(await at(-HOUR_MS)).toBe(0)
  expect(await at(readyMs - 1)).toBe(0)
  expect(requests).toEqual([])
  expect(await at(readyMs)).toBe(6)
})

test('candles of a day: are not sent when no server has received a prediction of that day', async () => {
  const { at, outbox } = openFolder(createTemporaryFolder())
  outbox.add([createSignal(midnight - 12 * HOUR_MS)])
  expect(await at(readyMs)).toBe(0)
})

test('candles of a day: are sent once for each predicted market, in messages that the protocol allows', async () => {
  const longDecimals = `1.${'1'.repeat(18)}`
  const { at, predict, sent, requests } = openFolder(createTemporaryFolder(), () =>
    createRows(from, until, `${'1'.repeat(17)}${longDecimals}`).filter(([openTime]) => openTime !== from + 60),
  )
  const at12 = midnight - 12 * HOUR_MS
  predict(
    createSignal(at12),
    createSignal(at12 + HOUR_MS),
    createSignal(at12, { market: 'ETHUSDT', metric: 'spread', other: { venue: 'okx', market: 'ETH-USDT' } }),
    // The horizon of this signal starts on the next day.
    createSignal(midnight - 1_000, { market: 'XRPUSDT' }),
  )
  expect(await at(readyMs)).toBe(18)
  expect(await at(20 * HOUR_MS)).toBe(18)
  expect(requests).toEqual(['binance BTCUSDT 0 86400', 'binance ETHUSDT 0 86400', 'okx ETH-USDT 0 86400'])
  for (const message of sent()) {
    expect(Object.keys(message)).toEqual(['type', 'venue', 'market', 'day', 'candles'])
    expect(message).toMatchObject({ type: 'candles', day })
    expect(JSON.stringify(message).length).toBeLessThanOrEqual(64 * 1024)
    expect(() => parseCandles(message.candles, getDaySpan(day))).not.toThrow()
  }
  const btcMessages = sent().filter(({ market }) => market === 'BTCUSDT')
  expect(btcMessages.flatMap(({ candles }) => candles).length).toBe(1_439)
})

test('candles of a day: are requested again, and finally given up, when the exchange lacks them', async () => {
  let answer: CandleRow[] | Error = new Error('The exchange returned 503')
  const { at, predict, requests, logged } = openFolder(createTemporaryFolder(), () => answer)
  predict(createSignal(midnight - 12 * HOUR_MS))
  await at(readyMs)
  expect(await at(readyMs + MINUTE_MS - 1)).toBe(0)
  answer = []
  expect(await at(readyMs + MINUTE_MS)).toBe(0)
  expect(await at(readyMs + 3 * MINUTE_MS - 1)).toBe(0)
  expect(requests.length).toBe(2)
  answer = createRows(from, until - 600)
  expect(await at(readyMs + 3 * MINUTE_MS)).toBe(6)
  expect(logged).toEqual(['the candles of a day cannot be sent'])

  const withoutCandles = openFolder(createTemporaryFolder(), () => [])
  withoutCandles.predict(createSignal(midnight - 12 * HOUR_MS))
  for (let hour = 1; hour < 72; hour++) await withoutCandles.at(hour * HOUR_MS)
  expect([withoutCandles.requests.length, withoutCandles.logged.length]).toEqual([35, 1])
})

test('candles of a day: are sent once when two checks overlap and another market fails', async () => {
  const { at, predict, requests } = openFolder(createTemporaryFolder(), (symbol) =>
    symbol === 'ETHUSDT' ? new Error('503') : createRows(from, until),
  )
  const at12 = midnight - 12 * HOUR_MS
  predict(createSignal(at12, { market: 'ETHUSDT' }), createSignal(at12))
  expect(await Promise.all([at(readyMs), at(readyMs)])).toEqual([6, 6])
  expect(requests).toEqual(['binance ETHUSDT 0 86400', 'binance BTCUSDT 0 86400'])
})

test('candles of a day: are neither lost nor sent twice when the engine is killed while writing them', async () => {
  const folder = createTemporaryFolder()
  const first = openFolder(folder)
  first.predict(createSignal(midnight - 12 * HOUR_MS))
  const before = readFileSync(join(folder, 'outbox.jsonl')).length
  await first.at(readyMs)
  const expected = first.sent()
  const wholeFile = readFileSync(join(folder, 'outbox.jsonl'))
  for (let size = before; size <= wholeFile.length; size += Math.ceil((wholeFile.length - before) / 13)) {
    const copiedFolder = createTemporaryFolder()
    cpSync(folder, copiedFolder, { recursive: true })
    writeFileSync(join(copiedFolder, 'outbox.jsonl'), wholeFile.subarray(0, size))
    const secondProcess = openFolder(copiedFolder)
    await secondProcess.at(readyMs + HOUR_MS)
    expect(secondProcess.sent(), `${size} bytes`).toEqual(expected)
  }
})

test('candles of a day: are not sent again when the outbox has dropped them and the prediction is still open', async () => {
  const folder = createTemporaryFolder()
  const first = openFolder(folder)
  first.predict(createSignal(midnight - 1 * HOUR_MS))
  await first.at(readyMs)
  first.outbox.receive(7)
  for (const hours of [25, 49, 80]) {
    first.outbox.compact(midnight + hours * HOUR_MS)
    const next = openFolder(folder)
    expect(await next.at(hours * HOUR_MS)).toBe(hours < 48 ? 6 : 0)
    expect(next.requests).toEqual([])
    expect(next.outbox.openPredictions()).toHaveLength(1)
  }
})
