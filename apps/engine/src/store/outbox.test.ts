import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Prediction } from '@tocsin/engine'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { expect, onTestFinished, test } from 'vitest'
import { type Message, openOutbox } from './outbox.ts'

const prediction: Prediction = {
  metric: 'maxExcursion',
  comparison: 'gte',
  threshold: 1.4,
  venue: 'binance',
  market: 'BTCUSDT',
  candleSeconds: 60,
  startsAt: '2026-03-02T14:31:00.000Z',
  horizonSeconds: 300,
  resolveBy: '2026-03-02T14:51:00.000Z',
}

const createSignal = (id: string, overrides: Partial<Message> = {}): Message => ({
  kind: 'signal',
  id,
  text: `{"id":"${id}"}`,
  at: 0,
  ...overrides,
})
const createOutcome = (id: string, at = 0): Message => ({
  kind: 'outcome',
  id,
  text: `{"type":"outcome","id":"${id}"}`,
  at,
})

function createTestBed() {
  const folder = mkdtempSync(join(tmpdir(), 'engine-outbox-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  let outbox = openOutbox(folder)
  return {
    folder,
    outbox: () => outbox,
    reopen() {
      outbox.close()
      outbox = openOutbox(folder)
      return outbox
    },
    /** Opens the outbox as a new process would after kill -9. */
    crash() {
      outbox = openOutbox(folder)
      return outbox
    },
    ids: (nowMs = 0) => outbox.after(0, 1_000, nowMs).map(({ kind, id }) => `${kind} ${id}`),
  }
}

test('outbox: keeps one message when a signal is added twice, even after a restart', () => {
  const { outbox, crash, ids } = createTestBed()
  outbox().add([createSignal('a'), createSignal('a')])
  crash().add([createSignal('a', { text: 'other' }), createSignal('b')])
  expect(ids()).toEqual(['signal a', 'signal b'])
  expect(outbox().after(0, 1, 0)[0]?.text).toBe('{"id":"a"}')
})

test('outbox: drops an incomplete line when the process was killed while writing it', () => {
  const { outbox, crash, folder, ids } = createTestBed()
  outbox().add([createSignal('a')])
  appendFileSync(join(folder, 'outbox.jsonl'), '{"add":{"kind":"signal","id":"b"')
  crash().add([createSignal('c')])
  crash()
  expect(ids()).toEqual(['signal a', 'signal c'])
})

test('outbox: remembers which messages were received when it is reopened', () => {
  const { outbox, reopen } = createTestBed()
  outbox().add([createSignal('a'), createSignal('b'), createSignal('c')])
  outbox().receive(2)
  outbox().receive(1)
  outbox().receive(99)
  expect([outbox().waiting(), reopen().waiting()]).toEqual([1, 1])
})

test('outbox: lists a prediction as open until its outcome exists', () => {
  const { outbox, crash } = createTestBed()
  outbox().add([createSignal('a', { prediction }), createSignal('b'), createSignal('c', { prediction })])
  expect(outbox().openPredictions()).toEqual([
    { id: 'a', text: '{"id":"a"}', prediction },
    { id: 'c', text: '{"id":"c"}', prediction },
  ])
  outbox().add([createOutcome('a')])
  expect(
    crash()
      .openPredictions()
      .map(({ id }) => id),
  ).toEqual(['c'])
})

test('outbox: stops sending a signal one hour before the server would reject it as too old', () => {
  const { outbox, ids } = createTestBed()
  outbox().add([createSignal('a', { prediction }), createSignal('b', { at: 2 * HOUR_MS })])
  expect(ids(23 * HOUR_MS - 1)).toEqual(['signal a', 'signal b'])
  expect(ids(23 * HOUR_MS)).toEqual(['signal b'])
})

test('outbox: drops messages that are too old for the server when it is compacted', () => {
  const { outbox, reopen, ids } = createTestBed()
  outbox().add([
    createSignal('old'),
    createSignal('open', { prediction }),
    createSignal('done', { prediction }),
    createOutcome('done'),
  ])
  outbox().receive(4)
  outbox().add([createOutcome('lost'), createSignal('new', { at: 24 * HOUR_MS })])
  outbox().compact(24 * HOUR_MS)
  // The signal `done` is still stored, because its prediction determines which candles of its day
  // are sent.
  expect(ids()).toEqual(['signal open', 'signal done', 'outcome done', 'outcome lost', 'signal new'])
  expect(
    reopen()
      .openPredictions()
      .map(({ id }) => id),
  ).toEqual(['open'])
  outbox().compact(8 * 24 * HOUR_MS)
  expect(ids()).toEqual(['signal open', 'outcome lost'])
  outbox().compact(30 * 24 * HOUR_MS)
  reopen().add([createSignal('next')])
  expect(ids()).toEqual(['signal next'])
  expect(reopen().waiting()).toBe(1)
})

test('outbox: drops a signal that was never offered, with its prediction and outcome, when it is too old to be sent', () => {
  const { outbox, reopen, ids } = createTestBed()
  outbox().add([createSignal('a', { prediction }), createSignal('b', { prediction }), createOutcome('a', HOUR_MS)])
  outbox().compact(23 * HOUR_MS - 1)
  expect(ids()).toEqual(['signal a', 'signal b', 'outcome a'])
  outbox().compact(23 * HOUR_MS)
  expect([ids(), reopen().openPredictions()]).toEqual([[], []])
})

test('outbox: keeps candles for 48 hours, and longer when the server has not received them', () => {
  const { outbox, ids } = createTestBed()
  const createCandleMessage = (id: string): Message => ({ kind: 'candles', id, text: '{}', at: 0 })
  outbox().add([createCandleMessage('x')])
  outbox().receive(1)
  outbox().add([createCandleMessage('y')])
  outbox().compact(47 * HOUR_MS)
  expect(ids(47 * HOUR_MS)).toEqual(['candles x', 'candles y'])
  outbox().compact(48 * HOUR_MS)
  expect(ids(48 * HOUR_MS)).toEqual(['candles y'])
})

test('outbox: does not list a prediction as open when its outcome was dropped before its signal', () => {
  const { outbox, reopen } = createTestBed()
  outbox().add([createSignal('a', { prediction, at: 8 * 24 * HOUR_MS }), createOutcome('a')])
  outbox().receive(2)
  outbox().compact(8 * 24 * HOUR_MS)
  expect(reopen().size()).toBe(1)
  expect(outbox().openPredictions()).toEqual([])
})

test('outbox: drops new signals and keeps outcomes when 20,000 messages are waiting', () => {
  const { outbox } = createTestBed()
  expect(outbox().add(Array.from({ length: 20_001 }, (_, index) => createSignal(`s${index}`))).leftOutCount).toBe(1)
  expect(outbox().add([createSignal('more'), createOutcome('s0')]).leftOutCount).toBe(1)
  expect(outbox().waiting()).toBe(20_001)
})

test('outbox: has no limit on waiting signals when it is kept in memory', () => {
  const outbox = openOutbox(null)
  expect(outbox.add(Array.from({ length: 20_001 }, (_, index) => createSignal(`s${index}`))).leftOutCount).toBe(0)
})

test('outbox: does not count expired messages toward the limit of waiting messages', () => {
  const { outbox, reopen } = createTestBed()
  outbox().add(Array.from({ length: 20_000 }, (_, index) => createSignal(`s${index}`)))
  outbox().compact(24 * HOUR_MS)
  expect(outbox().add([createSignal('new', { at: 24 * HOUR_MS })]).leftOutCount).toBe(0)
  expect([outbox().waiting(), reopen().waiting()]).toEqual([1, 1])
})

test('outbox: does not count an outcome as waiting after its prediction was withdrawn', () => {
  const { outbox, crash } = createTestBed()
  outbox().add([createForecast('a'), createOutcome('a', startsAt), createSignal('b', { at: startsAt })])
  outbox().offer(0, 10, tooLateMs)
  expect([outbox().waiting(), crash().waiting()]).toEqual([2, 2])
  outbox().receive(1)
  expect([outbox().waiting(), crash().waiting()]).toEqual([1, 1])
})

test('outbox: writes a message to the disk before add returns', () => {
  const { outbox, folder } = createTestBed()
  outbox().add([createSignal('a')])
  expect(readFileSync(join(folder, 'outbox.jsonl'), 'utf8')).toContain('"id":"a"')
})

const createForecast = (id: string) =>
  createSignal(id, { text: `{"id":"${id}","prediction":{},"model":{},"summary":"s"}`, prediction, at: startsAt })
const startsAt = Date.parse(prediction.startsAt)
const tooLateMs = startsAt - 999

test('outbox: removes prediction and outcome when their signal is first offered less than a second before the prediction starts', () => {
  const { outbox, crash, ids } = createTestBed()
  outbox().add([createForecast('a'), createSignal('b', { at: startsAt }), createOutcome('a', startsAt)])
  const offeredMessages = [{ text: '{"id":"a","summary":"s"}' }, { text: '{"id":"b"}' }]
  expect(outbox().offer(0, 10, tooLateMs)).toMatchObject(offeredMessages)
  expect(outbox().openPredictions()).toEqual([])
  expect(ids(startsAt)).toEqual(['signal a', 'signal b'])
  expect(crash().offer(0, 10, tooLateMs)).toMatchObject(offeredMessages)
})

test('outbox: removes every late prediction of a batch when the outcomes between them are dropped', () => {
  const { outbox } = createTestBed()
  const ids = Array.from({ length: 60 }, (_, index) => `s${index}`)
  outbox().add(ids.flatMap((id) => [createForecast(id), createOutcome(id, startsAt)]))
  const texts = outbox()
    .offer(0, 100, tooLateMs + HOUR_MS)
    .map(({ text }) => text)
  expect(texts).toHaveLength(60)
  expect(texts.filter((text) => text.includes('prediction'))).toEqual([])
})

test.each([
  ['keeps the price', 'BTC/USDT', ['id', 'asset', 'price', 'quote', 'venue']],
  ['removes the price, which is that of another market,', 'Market', ['id', 'asset']],
])('outbox: %s when it removes the prediction of a signal about %s', (_what, asset, keys) => {
  const { outbox } = createTestBed()
  const price = { price: '61204.1', quote: 'USDT', venue: 'binance' }
  const text = JSON.stringify({ id: 'a', asset, ...price, prediction, model: {} })
  outbox().add([createSignal('a', { text, prediction, at: startsAt })])
  const [message] = outbox().offer(0, 10, tooLateMs)
  expect(Object.keys(JSON.parse(message?.text ?? ''))).toEqual(keys)
})

test('outbox: ignores an outcome when its prediction was withdrawn before the outcome is added', () => {
  const { outbox, ids } = createTestBed()
  outbox().add([createForecast('a')])
  outbox().offer(0, 10, tooLateMs)
  outbox().add([createOutcome('a', startsAt)])
  expect(ids(startsAt)).toEqual(['signal a'])
})

test('outbox: still knows after a compaction and a restart which messages were offered', () => {
  const { outbox, crash } = createTestBed()
  outbox().add([createSignal('old'), createForecast('a')])
  outbox().offer(0, 10, startsAt - 1_000)
  outbox().compact(startsAt)
  expect(crash().offer(0, 10, tooLateMs)).toMatchObject([{ id: 'a', text: createForecast('a').text }])
})

test('outbox: withdraws a late prediction even when the messages offered before it were deleted', () => {
  const { outbox, crash } = createTestBed()
  outbox().add([createSignal('old')])
  outbox().offer(0, 10, 0)
  outbox().compact(24 * HOUR_MS)
  crash().add([createForecast('a')])
  expect(outbox().offer(0, 10, tooLateMs)).toMatchObject([{ id: 'a', text: '{"id":"a","summary":"s"}' }])
})

test('outbox: sends signals until an age of 72 hours when its retention is 72 hours', () => {
  const { outbox, folder } = createTestBed()
  outbox().add([createSignal('a')])
  const longRetentionOutbox = openOutbox(folder, 72 * HOUR_MS)
  longRetentionOutbox.compact(71 * HOUR_MS)
  expect([0, 71, 72].map((hours) => longRetentionOutbox.after(0, 10, hours * HOUR_MS).length)).toEqual([1, 1, 0])
  expect(outbox().after(0, 10, 24 * HOUR_MS)).toEqual([])
})

test('outbox: never changes a message that was offered in time, even after a restart', () => {
  const { outbox, crash } = createTestBed()
  outbox().add([createForecast('a')])
  const [{ text = '' } = {}] = outbox().offer(0, 10, startsAt - 1_000)
  expect(text).toContain('"prediction"')
  outbox().add([createForecast('b')])
  for (const openedOutbox of [outbox(), crash()]) {
    expect(openedOutbox.offer(0, 1, tooLateMs)[0]?.text).toBe(text)
    expect(openedOutbox.openPredictions().map(({ id }) => id)).toContain('a')
  }
  expect(outbox().offer(1, 10, tooLateMs)).toMatchObject([{ id: 'b', text: '{"id":"b","summary":"s"}' }])
})

test('outbox: offers predictions regardless of their age when they were added by addHistory', () => {
  const { outbox, crash } = createTestBed()
  outbox().addHistory([createForecast('a'), createOutcome('a', startsAt), createForecast('b')])
  outbox().addHistory([createForecast('a'), createForecast('b')])
  const texts = crash()
    .offer(0, 10, tooLateMs + HOUR_MS)
    .map(({ text }) => text)
  expect(texts).toEqual([createForecast('a').text, createOutcome('a').text, createForecast('b').text])
  expect(
    outbox()
      .openPredictions()
      .map(({ id }) => id),
  ).toEqual(['b'])
})
