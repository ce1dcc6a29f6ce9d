import { fakeClock } from '@tocsin/testkit'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { closeInBatches } from './close-in-batches.ts'
import { watchFreshness } from './freshness.ts'

function setUp(sockets = 1, pause = async () => {}) {
  const ctx = { clock: fakeClock(new Date('2026-11-22T12:00:00Z')), logger: pino({ level: 'silent' }) }
  const sentTexts: string[] = []
  const socket = {
    // The frame header has two bytes, because the text is short.
    write: (frame: Buffer) => void sentTexts.push(frame.subarray(2).toString()),
    streamSubscription: { sendQueue: null },
    end: (code: number) => void sentTexts.push(`closed ${code}`),
  }
  let runCheck = () => {}
  let nowMs = 0
  const scheduler = {
    after: () => () => {},
    every: (_ms: number, run: () => void) => {
      runCheck = run
      return () => {}
    },
  }
  // The cast is safe: the code under test uses only these members of a connection.
  const connections = { size: sockets, all: () => Array.from({ length: sockets }, () => socket) as never }
  const freshness = watchFreshness(
    ctx,
    connections,
    scheduler,
    () => nowMs,
    (open, close) => closeInBatches(open, close, pause),
  )
  const pass = (seconds: number) => {
    for (let index = 0; index < seconds; index++) {
      nowMs += 1_000
      ctx.clock.advance(1_000)
      runCheck()
    }
  }
  return { freshness, sent: sentTexts, pass, jump: (ms: number) => (nowMs += ms) }
}

const delayedText = '{"type":"delayed","since":"2026-11-22T12:00:00.000Z"}'

test('freshness: sends nothing to sockets while reads succeed', () => {
  const { freshness, sent, pass } = setUp()
  for (let round = 0; round < 10; round++) {
    pass(4)
    freshness.recordRead()
  }
  expect(sent).toEqual([])
  expect(freshness.problem()).toBeNull()
})

test('freshness: notifies sockets once after 5 s without a read, and again when reads succeed', () => {
  const { freshness, sent, pass } = setUp()
  pass(12)
  expect(sent).toEqual([delayedText])
  expect(freshness.problem()).toBe('new alerts could not be read for 12 s')
  freshness.recordRead()
  freshness.recordRead()
  expect(sent).toEqual([delayedText, '{"type":"delayed","since":null}'])
  expect(freshness.problem()).toBeNull()
})

test('freshness: closes sockets after 20 s, so that clients connect to another instance', () => {
  const { sent, pass } = setUp()
  pass(20)
  expect(sent).toEqual([delayedText, 'closed 1012'])
})

test('freshness: closes sockets in batches, and keeps the others open when reads succeed again', async () => {
  let resume = () => {}
  const paused = new Promise<void>((resolve) => {
    resume = resolve
  })
  const { freshness, sent, pass } = setUp(1_200, () => paused)
  const countClosed = () => sent.filter((line) => line === 'closed 1012').length
  pass(25)
  expect(countClosed()).toBe(500)
  freshness.recordRead()
  resume()
  await new Promise(setImmediate)
  expect(countClosed()).toBe(500)
})

test('freshness: a process that was suspended reads again before it reports stale data', () => {
  const { freshness, sent, pass, jump } = setUp()
  jump(60_000)
  pass(2)
  freshness.recordRead()
  expect(sent).toEqual([])
})
