import type { Venue } from '@tocsin/engine'
import { expect, test } from 'vitest'
import { fakeEvaluate, getPrediction } from '../test/fake-engine.ts'
import { startAt } from '../test/wire.ts'
import type { CandleRow } from './candles.ts'
import { createOutcomeWorker, LostCandles } from './outcomes.ts'
import { type Message, openOutbox } from './store/outbox.ts'

/** Opens an outbox with the signal `a`, which has a prediction. */
function openOutboxWithSignal(venue: Venue, market: string) {
  const prediction = getPrediction(venue, market, startAt)
  const outbox = openOutbox(null)
  outbox.add([{ kind: 'signal', id: 'a', text: JSON.stringify({ id: 'a', prediction }), at: startAt, prediction }])
  return { outbox, prediction }
}

test('outcomes: are neither sent nor tried again when the candles are lost', async () => {
  const { outbox, prediction } = openOutboxWithSignal('kraken', 'XBTUSD')
  let nowMs = Date.parse(prediction.resolveBy)
  const requested: number[] = []
  const reported: Message[] = []
  const logged: unknown[] = []
  const worker = createOutcomeWorker({
    outbox,
    evaluate: fakeEvaluate,
    concurrency: 1,
    nowMs: () => nowMs,
    exchangeMs: () => nowMs,
    report: (messages) => void reported.push(...messages),
    log: (_message, details) => void logged.push(details),
    async candles() {
      requested.push(nowMs)
      throw new LostCandles()
    },
  })
  for (let hour = 0; hour < 24; hour += 1) {
    await worker.check()
    nowMs += 3_600_000
  }
  expect(requested).toHaveLength(1)
  expect(reported).toEqual([])
  expect(logged).toEqual([{ id: 'a', error: 'The exchange no longer publishes these candles' }])
  expect(worker.countDue()).toBe(1)
})

test('outcomes: have their candles fetched once when checks overlap', async () => {
  const outbox = openOutbox(null)
  const addSignals = (...ids: string[]) => {
    for (const id of ids) {
      const prediction = getPrediction('binance', id, startAt)
      outbox.add([{ kind: 'signal', id, text: JSON.stringify({ id, prediction }), at: startAt, prediction }])
    }
  }
  const pendingRequests: { symbol: string; answer: () => void }[] = []
  const answer = (symbol: string) => {
    for (const request of pendingRequests) if (request.symbol === symbol) request.answer()
  }
  const worker = createOutcomeWorker({
    outbox,
    evaluate: fakeEvaluate,
    concurrency: 2,
    nowMs: () => startAt + 24 * 3_600_000,
    exchangeMs: () => startAt + 24 * 3_600_000,
    report: (messages) => void outbox.add(messages),
    log() {},
    candles: (_venue, symbol, from) =>
      new Promise((resolve) => {
        pendingRequests.push({ symbol, answer: () => resolve([[from, '1', '1', '1', '1', '1']]) })
      }),
  })
  addSignals('a')
  const checks = [worker.check()]
  addSignals('b', 'c')
  checks.push(worker.check())
  answer('a')
  await expect.poll(() => outbox.outcomes().length).toBe(1)
  // The second check has only fetched the candles of b so far.
  checks.push(worker.check())
  answer('b')
  await expect.poll(() => outbox.outcomes().length).toBe(2)
  answer('c')
  await Promise.all(checks)
  expect(pendingRequests.map(({ symbol }) => symbol)).toEqual(['a', 'b', 'c'])
  expect(outbox.outcomes()).toHaveLength(3)
})

test('outcomes: are logged as not sent, with the error, and tried again when the disk is full', async () => {
  const { outbox, prediction } = openOutboxWithSignal('binance', 'BTCUSDT')
  let nowMs = Date.parse(prediction.resolveBy)
  let isDiskFull = true
  const logged: unknown[] = []
  const worker = createOutcomeWorker({
    outbox,
    evaluate: fakeEvaluate,
    concurrency: 1,
    nowMs: () => nowMs,
    exchangeMs: () => nowMs,
    report(messages) {
      if (isDiskFull) throw new Error('ENOSPC: no space left on device')
      outbox.add(messages)
    },
    log: (message, details) => void logged.push([message, details]),
    candles: async (_venue, _market, from) => [[from, '1', '1', '1', '1', '1']],
  })
  await worker.check()
  isDiskFull = false
  nowMs += 60_000
  await worker.check()
  expect(outbox.outcomes()).toHaveLength(1)
  expect(logged).toEqual([
    ['the outcome of a prediction cannot be sent', { id: 'a', error: 'ENOSPC: no space left on device' }],
  ])
})

test('outcomes: are not sent before the horizon has ended by the exchange’s clock when our clock is ahead', async () => {
  const AHEAD_MS = 30 * 60_000
  const { outbox, prediction } = openOutboxWithSignal('binance', 'BTCUSDT')
  const start = Date.parse(prediction.startsAt)
  const end = start + prediction.horizonSeconds * 1_000
  let exchangeMs = end - 2 * 60_000
  let requests = 0
  const worker = createOutcomeWorker({
    outbox,
    evaluate: fakeEvaluate,
    concurrency: 1,
    nowMs: () => exchangeMs + AHEAD_MS,
    exchangeMs: () => exchangeMs,
    report: (messages) => void outbox.add(messages),
    log() {},
    async candles(_venue, _market, from, to) {
      requests += 1
      const minutes = Array.from({ length: (to - from) / 60 }, (_, index) => from + 60 * index)
      const published = minutes.filter((openTime) => (openTime + 60) * 1_000 <= exchangeMs)
      return published.map((openTime): CandleRow => [openTime, '1', '1', '1', '1', '1'])
    },
  })
  while (exchangeMs < end + 3_000) {
    await worker.check()
    expect(outbox.outcomes()).toEqual([])
    exchangeMs += 1_000
  }
  expect(requests).toBe(1)
  await worker.check()
  const outcomes = outbox.outcomes().map(({ text }) => JSON.parse(text))
  expect(outcomes).toMatchObject([{ id: 'a', verdict: 'came-true', missing: [] }])
})
