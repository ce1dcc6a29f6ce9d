import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EngineEvent } from '@tocsin/engine'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { CandleRow } from '../src/candles.ts'
import { createDayCandles } from '../src/day-candles.ts'
import { createOutcomeWorker } from '../src/outcomes.ts'
import { createRunner } from '../src/runner.ts'
import { openEventStore } from '../src/store/event-store.ts'
import { openOutbox } from '../src/store/outbox.ts'
import { createStandIn, model, standInJudge } from './stand-in.ts'

/** Ends the process at a write: half of its bytes are written, and nothing after them. */
const process = vi.hoisted(() => ({ writes: 0, killedAt: Number.POSITIVE_INFINITY, isKilled: false }))

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>()
  const isLast = () => {
    if (process.isKilled) throw new Error('The process is dead')
    process.writes += 1
    process.isKilled = process.writes === process.killedAt
    return process.isKilled
  }
  const end = () => {
    throw new Error('The process is killed')
  }
  return {
    ...fs,
    writeSync(file: number, bytes: Uint8Array, at: number) {
      if (!isLast()) return fs.writeSync(file, bytes, at)
      fs.writeSync(file, bytes, at, Math.ceil((bytes.length - at) / 2))
      return end()
    },
    // What a process has written survives its end, unlike that of the machine.
    fsyncSync() {},
    renameSync: (from: string, to: string) => (isLast() ? end() : fs.renameSync(from, to)),
    rmSync: (path: string, options: object) => (isLast() ? end() : fs.rmSync(path, options)),
  }
})

const MINUTE_MS = 60_000
/** So a lost event is not made up for, and changes all later alerts. */
const EXCHANGE_KEEPS_MS = 2 * MINUTE_MS
const midnight = Date.parse('2026-03-03T00:00:00.000Z')
const startMs = midnight - 3 * MINUTE_MS

/** Those of a day are one an hour, to keep the test small. */
const candles = async (_venue: string, _symbol: string, from: number, to: number): Promise<CandleRow[]> => {
  const step = to - from > 3_600 ? 3_600 : 60
  return Array.from({ length: (to - from) / step }, (_, at): CandleRow => [from + step * at, '1', '1', '1', '1', '1'])
}

/** Trades that the exchange has: two each minute, and every fourth raises an alert. */
const ticks = Array.from({ length: 24 }, (_, at): EngineEvent & { number: number; at: number } => ({
  type: 'tick',
  venue: 'binance',
  market: 'BTC/USDT',
  number: at + 1,
  count: 1,
  at: startMs + (at * MINUTE_MS) / 2,
  price: 1,
  amount: 1,
  takerSide: 'buy',
}))

/** A new process on the folder, and its connection to the product. */
function open(folder: string) {
  let nowMs = startMs
  const store = openEventStore(folder)
  const outbox = openOutbox(folder)
  const runner = createRunner({
    createEngine: createStandIn(4),
    model,
    store,
    outbox,
    nowMs: () => nowMs,
    onMessages() {},
    log() {},
  })
  const { report } = runner
  const parts = { outbox, candles, nowMs: () => nowMs, report, log() {} }
  const outcomes = createOutcomeWorker({ ...parts, judge: standInJudge, concurrency: 1 })
  const predictions = () => outbox.predictions(nowMs)
  const days = createDayCandles({ ...parts, predictions, readyMs: MINUTE_MS })
  let sent = 0
  /** Does what the process does in one minute. Returns what the product receives. */
  const passMinute = async (at: number): Promise<string[]> => {
    nowMs = at
    const newest = runner.positions().get('binance:BTC/USDT')?.number ?? 0
    for (const tick of ticks) {
      if (tick.number > newest && tick.at < at && tick.at >= at - EXCHANGE_KEEPS_MS) runner.take(tick)
    }
    runner.commit()
    store.flush()
    await outcomes.check()
    await days.check()
    const batch = outbox.offer(sent, 1_000, nowMs)
    sent = batch.at(-1)?.sequence ?? sent
    if (sent > 0) outbox.receive(sent)
    if (Math.ceil(at / MINUTE_MS) % 3 === 0) runner.save()
    return batch.map(({ text }) => text)
  }
  return { passMinute }
}

/** Runs for twenty minutes. A process that is killed is started again at once. */
async function run(killedAt: number): Promise<{ received: Set<string>; writes: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-killed-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  Object.assign(process, { writes: 0, killedAt, isKilled: false })
  const received = new Set<string>()
  let engine: ReturnType<typeof open> | null = null
  const passMinute = async (at: number): Promise<void> => {
    try {
      engine ??= open(folder)
      for (const text of await engine.passMinute(at)) received.add(text)
    } catch (error) {
      if (!process.isKilled) throw error
    }
    if (!process.isKilled) return
    engine = null
    process.isKilled = false
    await passMinute(at)
  }
  // Fifty seconds into each minute: the prediction of an alert has not started yet.
  for (let minute = 1; minute <= 20; minute++) await passMinute(startMs + minute * MINUTE_MS - 10_000)
  open(folder)
  return { received, writes: process.writes }
}

test('engine: every alert, outcome and part of a day comes once when it is killed at any of its writes', async () => {
  const { received: expected, writes } = await run(Number.POSITIVE_INFINITY)
  const messages = [...expected].map((text) => JSON.parse(text))
  const countOf = (kind?: string) => messages.filter(({ type }) => type === kind).length
  expect([undefined, 'outcome', 'candles'].map(countOf)).toEqual([6, 6, 6])
  for (let killedAt = 1; killedAt <= writes; killedAt++) {
    const { received } = await run(killedAt)
    expect([...received].sort(), `killed at write ${killedAt}`).toEqual([...expected].sort())
  }
})
