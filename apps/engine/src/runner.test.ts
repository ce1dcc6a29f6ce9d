import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EngineEvent } from '@tocsin/engine'
import { hashSignal, type Model } from '@tocsin/proof'
import { expect, onTestFinished, test } from 'vitest'
import { createFakeEngine, fakeEvaluate, getPrediction, model } from '../test/fake-engine.ts'
import { startAt } from '../test/wire.ts'
import type { CandleRow } from './candles.ts'
import { createOutcomeWorker } from './outcomes.ts'
import { createParts } from './parts.ts'
import { createRunner } from './runner.ts'
import { openEventStore } from './store/event-store.ts'
import { openOutbox } from './store/outbox.ts'

const createTick = (number: number): EngineEvent => ({
  type: 'tick',
  venue: 'binance',
  market: 'BTC/USDT',
  number,
  count: 1,
  at: startAt + number,
  price: 61_204.1,
  amount: 0.015,
  takerSide: 'buy',
})

function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'engine-runner-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Opens the folder as a new process would. */
function openFolder(
  folder: string,
  createEngine = createFakeEngine(),
  ownModel = model,
  nowMs = () => startAt,
  watchedMarkets: readonly { venue: string; name: string }[] = [],
) {
  const store = openEventStore(folder)
  const outbox = openOutbox(folder)
  const logged: string[] = []
  const runner = createRunner({
    createEngine,
    model: ownModel,
    watched: watchedMarkets,
    store,
    outbox,
    nowMs,
    onMessages() {},
    log: (message) => void logged.push(message),
  })
  const texts = () => outbox.after(0, 10_000, startAt).map(({ text }) => text)
  return {
    store,
    outbox,
    runner,
    texts,
    logged,
    ingestAll: (from: number, to: number) => {
      for (let number = from; number <= to; number++) runner.ingest(createTick(number))
    },
  }
}

test('runner: writes a signal as the protocol defines it when the engine raises an alert', () => {
  const { runner, outbox, ingestAll } = openFolder(createTemporaryFolder())
  ingestAll(8, 11)
  runner.commit()
  const [message] = outbox.after(0, 10, startAt)
  expect(message).toMatchObject({ kind: 'signal', id: 'binance-BTC/USDT-10', at: startAt + 10 })
  expect(JSON.parse(message?.text ?? '')).toEqual({
    id: 'binance-BTC/USDT-10',
    asset: 'BTC/USDT',
    anomalyType: 'Price move',
    confidence: 43.5,
    regime: 'Calm',
    summary: expect.stringMatching(/^State \d+, learnt 0$/),
    priority: 'low',
    series: { values: [1, 2], stepSeconds: 60, triggerIndex: 1, mean: 1, deviation: 0.5, unit: '%' },
    observedAt: '2026-03-02T14:31:00.010Z',
    prediction: getPrediction('binance', 'BTC/USDT', startAt + 10),
    model,
  })
})

test('runner: omits the prediction when the alert is raised less than a second before the prediction starts', () => {
  // The horizon of the 14:31:00 alert's prediction starts at 14:32.
  for (const [late, keys] of [
    [59_000, ['model', 'prediction']],
    [59_001, []],
  ] as const) {
    const { ingestAll, runner, texts, outbox } = openFolder(
      createTemporaryFolder(),
      createFakeEngine(),
      model,
      () => startAt + late,
    )
    ingestAll(10, 10)
    runner.commit()
    const signal: object = JSON.parse(texts()[0] ?? '')
    expect(
      Object.keys(signal)
        .filter((key) => key === 'model' || key === 'prediction')
        .sort(),
    ).toEqual(keys)
    expect(outbox.openPredictions()).toHaveLength(keys.length / 2)
  }
})

test('runner: sends the same messages when it is killed and restarted at any point', () => {
  const uninterrupted = openFolder(createTemporaryFolder())
  uninterrupted.ingestAll(1, 60)
  uninterrupted.runner.commit()
  const expected = uninterrupted.texts()
  expect(expected).toHaveLength(6)
  for (let killedAt = 1; killedAt < 60; killedAt += 7) {
    const folder = createTemporaryFolder()
    const first = openFolder(folder)
    first.ingestAll(1, killedAt)
    if (killedAt % 2 === 0) first.runner.commit()
    if (killedAt % 3 === 0) first.runner.save()
    if (killedAt % 4 === 0) first.store.flush()
    // Simulates a kill: the copy lacks the data that the first process still buffers in memory.
    const copiedFolder = createTemporaryFolder()
    cpSync(folder, copiedFolder, { recursive: true })
    const secondProcess = openFolder(copiedFolder)
    const position = secondProcess.runner.positions().get('binance:BTC/USDT')?.number ?? 0
    secondProcess.ingestAll(position + 1, 60)
    secondProcess.runner.commit()
    expect(secondProcess.texts(), `killed at ${killedAt}`).toEqual(expected)
  }
})

test('runner: drops the engine’s state but resumes after the last trade when model settings have changed', () => {
  const folder = createTemporaryFolder()
  const first = openFolder(folder)
  first.ingestAll(1, 10)
  first.runner.save()
  const states: (string | undefined)[] = []
  const createEngine = createFakeEngine()
  const reopenWithModel = (own: Model) =>
    openFolder(
      folder,
      (snapshot) => {
        states.push(snapshot)
        return createEngine(snapshot)
      },
      own,
    )
  expect(reopenWithModel({ ...model, version: '9.9.9' }).logged).toEqual([])
  const reopened = reopenWithModel({ ...model, settingsHash: `0x${'11'.repeat(32)}` })
  expect(states).toEqual([expect.any(String), undefined])
  expect(reopened.logged).toEqual(['the settings of the model have changed, so the engine starts without its state'])
  expect(reopened.runner.positions().get('binance:BTC/USDT')?.number).toBe(10)
})

test('runner: removes the state of markets that are no longer watched, and saves the rest immediately', () => {
  const folder = createTemporaryFolder()
  const { createEngine } = createParts(null)
  const first = openFolder(folder, createEngine)
  for (const market of ['BTC/USDT', 'ETH/USDT']) first.runner.ingest({ ...createTick(1), market } as EngineEvent)
  first.store.sync()
  const getMarkets = ({ store }: typeof first) =>
    Object.keys(JSON.parse(JSON.parse(store.snapshot ?? '').engine).markets)
  const secondProcess = openFolder(folder, createEngine, model, () => startAt, [{ venue: 'binance', name: 'BTC/USDT' }])
  expect(getMarkets(secondProcess)).toEqual(['binance BTC/USDT'])
  expect(secondProcess.logged).toEqual(['these markets are no longer watched, so their state is removed'])
  expect(secondProcess.runner.positions().get('binance:BTC/USDT')?.number).toBe(1)
  const all = openFolder(folder, createEngine)
  all.runner.save()
  expect(getMarkets(all)).toEqual(['binance BTC/USDT'])
})

test('runner: goes back to the present and completes minutes after a restart when the saved event time is three hours ahead', () => {
  const HOUR_MS = 3_600_000
  const market = { venue: 'binance', market: 'BTC/USDT' } as const
  const minutesAfterStart = (count: number) => startAt + 60_000 * count
  const folder = createTemporaryFolder()
  const { createEngine } = createParts(null)
  const first = openFolder(folder, createEngine)
  first.ingestAll(1, 10)
  first.runner.ingest({ type: 'clock', at: startAt + 3 * HOUR_MS })
  first.runner.ingest({ type: 'gap', ...market, from: startAt + 10, to: startAt + 3 * HOUR_MS })
  first.store.sync()

  const { runner, store, logged } = openFolder(folder, createEngine)
  runner.followClock(minutesAfterStart(1))
  expect(runner.eventTime()).toBe(minutesAfterStart(1))
  expect(logged).toEqual(['the saved event time is ahead of the clock of this machine, and is set back to it'])
  for (const count of [1, 2, 3]) {
    runner.ingest({ ...createTick(10 + count), at: minutesAfterStart(count) + 500 } as EngineEvent)
    runner.ingest({ type: 'clock', at: minutesAfterStart(count + 1) + 1_000 })
  }
  runner.save()
  const { bars, statistics } = JSON.parse(JSON.parse(store.snapshot ?? '').engine).markets['binance BTC/USDT']
  // The first minute is incomplete, because the trades before it are not known.
  expect([bars.minute, bars.late, statistics.clean]).toEqual([minutesAfterStart(4), 0, 2])

  const thirdProcess = openFolder(folder, createEngine)
  thirdProcess.runner.followClock(minutesAfterStart(4))
  expect([thirdProcess.runner.eventTime(), thirdProcess.logged]).toEqual([minutesAfterStart(4) + 1_000, []])
})

test('runner: has the events of an alert on disk when the alert is in the outbox', () => {
  const folder = createTemporaryFolder()
  const { runner, ingestAll } = openFolder(folder)
  ingestAll(1, 10)
  runner.commit()
  const copiedFolder = createTemporaryFolder()
  cpSync(folder, copiedFolder, { recursive: true })
  expect(openFolder(copiedFolder).runner.positions().get('binance:BTC/USDT')?.number).toBe(10)
})

test('runner: counts no alert again when a restart replays the journal', () => {
  const folder = createTemporaryFolder()
  const first = openFolder(folder)
  first.ingestAll(1, 10)
  first.runner.commit()
  const { runner, ingestAll } = openFolder(folder)
  expect(runner.counts()).toEqual({ alerts: 0, leftOut: 0, tooLarge: 0 })
  ingestAll(11, 20)
  runner.commit()
  expect(runner.counts().alerts).toBe(1)
})

test('runner: passes an outcome to the engine once when the runner is killed after adding the outcome to the outbox', () => {
  const folder = createTemporaryFolder()
  const first = openFolder(folder)
  first.ingestAll(1, 10)
  first.runner.commit()
  first.store.sync()
  const text = JSON.stringify({ type: 'outcome', id: 'binance-BTC/USDT-10', verdict: 'came-true' })
  first.outbox.add([{ kind: 'outcome', id: 'binance-BTC/USDT-10', text, at: startAt }])
  for (let restart = 0; restart < 3; restart++) {
    const next = openFolder(folder)
    if (restart === 1) next.runner.save()
    next.ingestAll(20 + 10 * restart, 20 + 10 * restart)
    next.runner.commit()
    expect(next.texts().at(-1)).toContain('learnt 1')
    next.store.sync()
  }
})

test('runner: keeps 20,000 signals and counts the dropped ones when the engine raises 100,000 alerts at once', () => {
  const { runner, ingestAll, logged, outbox } = openFolder(createTemporaryFolder(), createFakeEngine(1))
  ingestAll(1, 100_000)
  runner.commit()
  expect(runner.counts()).toEqual({ alerts: 20_000, leftOut: 80_000, tooLarge: 0 })
  expect(outbox.waiting()).toBe(20_000)
  expect(logged).toEqual(['dropping signals: too many messages are waiting for the server'])
})

test('runner: drops an alert whose message exceeds 64 KiB', () => {
  const createLongAlertEngine = createFakeEngine()
  const { runner, texts, ingestAll } = openFolder(createTemporaryFolder(), (snapshot) => {
    const engine = createLongAlertEngine(snapshot)
    return {
      ...engine,
      step: (event) => engine.step(event).map((alert) => ({ ...alert, summary: 'x'.repeat(65_536) })),
    }
  })
  ingestAll(1, 10)
  runner.commit()
  expect([texts(), runner.counts().tooLarge]).toEqual([[], 1])
})

function createOutcomeTestBed(answer: (from: number, to: number) => CandleRow[] | Error) {
  const { outbox, runner, ingestAll } = openFolder(createTemporaryFolder())
  ingestAll(10, 10)
  runner.commit()
  let nowMs = startAt
  const logged: string[] = []
  const requests: [number, number][] = []
  const worker = createOutcomeWorker({
    outbox,
    evaluate: fakeEvaluate,
    concurrency: 4,
    nowMs: () => nowMs,
    exchangeMs: () => nowMs,
    report: runner.report,
    log: (message) => void logged.push(message),
    async candles(_venue, _symbol, from, to) {
      requests.push([from, to])
      const rows = answer(from, to)
      if (rows instanceof Error) throw rows
      return rows
    },
  })
  const index = async (afterMs: number) => {
    nowMs = start * 1_000 + 300_000 + afterMs
    await worker.check()
    return outbox.outcomes().map(({ text }) => JSON.parse(text))
  }
  return { at: index, requests, logged, outbox, worker }
}

const start = startAt / 1_000 + 60
const createRows = (from: number, to: number): CandleRow[] =>
  Array.from({ length: (to - from) / 60 }, (_, at) => [from + 60 * at, '1', '1', '1', '1', '1'])

test('outcome: is reported with all candles of the window when the horizon has ended', async () => {
  const { at, requests, outbox } = createOutcomeTestBed(createRows)
  expect(await at(-1)).toEqual([])
  expect(await at(2_999)).toEqual([])
  expect(await at(3_000)).toEqual([
    {
      type: 'outcome',
      id: 'binance-BTC/USDT-10',
      signalHash: hashSignal(outbox.after(0, 1, startAt)[0]?.text ?? ''),
      verdict: 'came-true',
      measured: '10',
      candles: createRows(start - 300, start + 300),
      missing: [],
      voidReason: null,
      note: '',
    },
  ])
  expect(await at(10_000)).toHaveLength(1)
  expect(requests).toEqual([[start - 300, start + 300]])
})

test.each<[string, number[], number]>([
  ['50 seconds for candles that may still be published when minutes are missing', [60, 120], 50_000],
  ['5 minutes when the newest minute is missing', [180, 240], 300_000],
])('outcome: waits %s', async (_name, missing, settleMs) => {
  const missingOpenTimes = missing.map((offset) => start + offset)
  const { at } = createOutcomeTestBed((from, to) =>
    createRows(from, to).filter(([openTime]) => !missingOpenTimes.includes(openTime)),
  )
  expect(await at(3_000)).toEqual([])
  expect(await at(settleMs - 1)).toEqual([])
  expect(await at(settleMs + 5_000)).toMatchObject([
    { verdict: 'void', measured: null, voidReason: 'missing-candles', missing: missingOpenTimes },
  ])
})

test('outcome: is sent in time, with few requests, when the exchange was down for 13 of 15 minutes', async () => {
  let error: Error | null = new Error('The exchange returned 503')
  const { at, requests } = createOutcomeTestBed((from, to) => error ?? createRows(from, to))
  const SECOND_MS = 1_000
  for (let ms = 3 * SECOND_MS; ms < 780 * SECOND_MS; ms += SECOND_MS) await at(ms)
  expect(requests.length).toBeLessThan(20)
  error = null
  let sentCount = 0
  for (let ms = 780 * SECOND_MS; ms < 900 * SECOND_MS && sentCount === 0; ms += SECOND_MS)
    sentCount = (await at(ms)).length
  expect(sentCount).toBe(1)

  const withoutCandles = createOutcomeTestBed(() => new Error('The exchange returned 503'))
  for (let minute = 16; minute < 16 + 24 * 60; minute++) await withoutCandles.at(minute * 60 * SECOND_MS)
  expect(withoutCandles.requests.length).toBeLessThan(110)
})

test('outcome: is reported later when the exchange cannot be reached at first', async () => {
  let error: Error | null = new Error('The exchange returned 503')
  const { at, logged, requests } = createOutcomeTestBed((from, to) => error ?? createRows(from, to))
  await at(3_000)
  await at(4_000)
  expect(await at(8_000)).toEqual([])
  error = null
  expect(await at(17_999)).toEqual([])
  expect(await at(18_000)).toHaveLength(1)
  expect([requests.length, logged.length]).toEqual([3, 2])
})
