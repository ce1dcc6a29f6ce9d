import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EngineEvent } from '@tocsin/engine'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { expect, onTestFinished, test } from 'vitest'
import type { CandleRow } from '../src/candles.ts'
import { createDayCandles } from '../src/day-candles.ts'
import { createOutcomeWorker } from '../src/outcomes.ts'
import { createRunner } from '../src/runner.ts'
import { openEventStore } from '../src/store/event-store.ts'
import { openOutbox } from '../src/store/outbox.ts'
import { createFakeEngine, fakeEvaluate, model } from './fake-engine.ts'

const { writeSync, fsyncSync, ftruncateSync, renameSync, rmSync } = fs
const originalFs = { writeSync, fsyncSync, ftruncateSync, renameSync, rmSync }
let writeCount = 0
let killedAt = Number.POSITIVE_INFINITY
let isKilled = false

/** Counts a write. Returns true at the write at which the process is killed. */
function isKillingWrite(): boolean {
  if (isKilled) throw new Error('The process is dead')
  writeCount += 1
  isKilled = writeCount === killedAt
  return isKilled
}

function throwKilled(): never {
  throw new Error('The process is killed')
}

/**
 * Replaces the functions that write files. The write at which the process is killed writes half of
 * its bytes, and all later writes fail.
 */
function mockWrites(): void {
  Object.assign(fs, {
    writeSync(file: number, bytes: Uint8Array, at: number) {
      if (!isKillingWrite()) return originalFs.writeSync(file, bytes, at)
      originalFs.writeSync(file, bytes, at, Math.ceil((bytes.length - at) / 2))
      return throwKilled()
    },
    // Does nothing: fsync matters only when the machine crashes. When only the process is killed,
    // all written data survives.
    fsyncSync() {},
    ftruncateSync: (file: number, length: number) =>
      isKilled ? throwKilled() : originalFs.ftruncateSync(file, length),
    renameSync: (from: string, to: string) => (isKillingWrite() ? throwKilled() : originalFs.renameSync(from, to)),
    rmSync: (path: string, options: object) => (isKillingWrite() ? throwKilled() : originalFs.rmSync(path, options)),
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(fs, originalFs)
    syncBuiltinESMExports()
  })
}

/**
 * Time for which the engine can fetch a past trade again. It is short, so that a lost trade is not
 * fetched later and changes all later alerts.
 */
const CANDLE_RETENTION_MS = 2 * MINUTE_MS
const midnightMs = Date.parse('2026-03-03T00:00:00.000Z')
const startMs = midnightMs - 3 * MINUTE_MS

/** Returns one candle per minute, or one per hour for a whole day, to keep the test small. */
const candles = async (_venue: string, _symbol: string, from: number, to: number): Promise<CandleRow[]> => {
  const step = to - from > 3_600 ? 3_600 : 60
  return Array.from(
    { length: (to - from) / step },
    (_, index): CandleRow => [from + step * index, '1', '1', '1', '1', '1'],
  )
}

/** All trades of the exchange: two per minute. Every fourth trade raises an alert. */
const ticks = Array.from({ length: 24 }, (_, index): EngineEvent & { number: number; at: number } => ({
  type: 'tick',
  venue: 'binance',
  market: 'BTC/USDT',
  number: index + 1,
  count: 1,
  at: startMs + (index * MINUTE_MS) / 2,
  price: 1,
  amount: 1,
  takerSide: 'buy',
}))

/** Simulates a process that uses the folder, and its connection to the product. */
function startProcess(folder: string) {
  let nowMs = startMs
  const store = openEventStore(folder)
  const outbox = openOutbox(folder)
  const runner = createRunner({
    createEngine: createFakeEngine(4),
    model,
    store,
    outbox,
    nowMs: () => nowMs,
    onMessages() {},
    log() {},
  })
  const { report } = runner
  const parts = { outbox, candles, nowMs: () => nowMs, exchangeMs: () => nowMs, report, log() {} }
  const outcomes = createOutcomeWorker({ ...parts, evaluate: fakeEvaluate, concurrency: 1 })
  const predictions = () => outbox.predictions(nowMs)
  const days = createDayCandles({ ...parts, predictions, readyMs: MINUTE_MS })
  let sentCount = 0
  /** Simulates one minute of the process. Returns the messages that the product receives. */
  const passMinute = async (at: number): Promise<string[]> => {
    nowMs = at
    const newestTradeNumber = runner.positions().get('binance:BTC/USDT')?.number ?? 0
    for (const tick of ticks) {
      if (tick.number > newestTradeNumber && tick.at < at && tick.at >= at - CANDLE_RETENTION_MS) runner.ingest(tick)
    }
    runner.commit()
    store.flush()
    await outcomes.check()
    await days.check()
    const batch = outbox.offer(sentCount, 1_000, nowMs)
    sentCount = batch.at(-1)?.sequence ?? sentCount
    if (sentCount > 0) outbox.receive(sentCount)
    if (Math.ceil(at / MINUTE_MS) % 3 === 0) runner.save()
    return batch.map(({ text }) => text)
  }
  return { passMinute }
}

/** Simulates twenty minutes. A process that is killed is restarted immediately. */
async function simulateRun(killedAtWrite: number): Promise<Set<string>> {
  const folder = fs.mkdtempSync(join(tmpdir(), 'engine-killed-'))
  onTestFinished(() => originalFs.rmSync(folder, { recursive: true }))
  writeCount = 0
  killedAt = killedAtWrite
  isKilled = false
  const receivedTexts = new Set<string>()
  let engine: ReturnType<typeof startProcess> | null = null
  const passMinute = async (at: number): Promise<void> => {
    try {
      engine ??= startProcess(folder)
      for (const text of await engine.passMinute(at)) receivedTexts.add(text)
    } catch (error) {
      if (!isKilled) throw error
    }
    if (!isKilled) return
    engine = null
    isKilled = false
    await passMinute(at)
  }
  // Each step is 50 seconds into a minute, before the predictions of that minute's alerts start.
  for (let minute = 1; minute <= 20; minute++) await passMinute(startMs + minute * MINUTE_MS - 10_000)
  startProcess(folder)
  return receivedTexts
}

test('engine: sends each alert, outcome and part of a day’s candles once when it is killed at any write', async () => {
  mockWrites()
  const expected = await simulateRun(Number.POSITIVE_INFINITY)
  const messages = [...expected].map((text) => JSON.parse(text))
  const countMessages = (kind?: string) => messages.filter(({ type }) => type === kind).length
  expect([undefined, 'outcome', 'candles'].map(countMessages)).toEqual([6, 6, 6])
  const count = writeCount
  expect(count).toBeGreaterThan(50)
  for (let killedAtWrite = 1; killedAtWrite <= count; killedAtWrite++) {
    const receivedTexts = await simulateRun(killedAtWrite)
    expect([...receivedTexts].sort(), `killed at write ${killedAtWrite}`).toEqual([...expected].sort())
  }
})
