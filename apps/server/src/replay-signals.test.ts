import { fakeClock } from '@tocsin/testkit'
import { afterEach, expect, it } from 'vitest'
import WebSocket from 'ws'
import { type Replay, type ReplayOptions, serveRecordedSignals } from './replay-signals.ts'

const createLine = (id: string, second: number) =>
  JSON.stringify({ id, asset: 'BTC/USDT', observedAt: `2025-03-01T10:00:0${second}.000Z` })
const recording = [createLine('a', 0), '', createLine('b', 2), createLine('c', 6)].join('\n')

let replay: Replay | undefined
afterEach(() => replay?.close())

/** Replays all signals. Pauses are recorded and skipped. */
async function replaySignals(
  options: Partial<ReplayOptions>,
): Promise<{ pauses: number[]; received: Record<string, unknown>[] }> {
  const pauses: number[] = []
  const schedule = {
    every: () => () => {},
    after: (ms: number, run: () => void) => {
      pauses.push(ms)
      setImmediate(run)
      return () => {}
    },
  }
  const startedReplay = await serveRecordedSignals(recording, { clock: fakeClock(), schedule, ...options })
  replay = startedReplay
  const received: Record<string, unknown>[] = []
  const ws = new WebSocket(
    startedReplay.url,
    options.apiKey ? { headers: { authorization: `Bearer ${options.apiKey}` } } : {},
  )
  ws.on('message', (data) => received.push(JSON.parse(data.toString())))
  await startedReplay.finished
  await expect.poll(() => received).toHaveLength(startedReplay.count)
  ws.terminate()
  return { pauses, received }
}

it.each([
  ['invalid JSON', `${createLine('a', 0)}\nnot json`, 'Line 2'],
  ['a line without an id', '{"observedAt":"2025-03-01T10:00:00.000Z"}', 'Line 1'],
  ['a line without a time', '\n{"id":"a"}', 'Line 2'],
])('serveRecordedSignals: refuses %s', async (_name, text, message) => {
  await expect(serveRecordedSignals(text, { clock: fakeClock() })).rejects.toThrow(message)
})

it('serveRecordedSignals: replays in order with the recorded pauses, current times and new ids', async () => {
  const { pauses, received } = await replaySignals({ apiKey: 'key' })
  expect(pauses).toEqual([0, 2_000, 4_000])
  expect(received.map(({ id }) => String(id).slice(0, 2))).toEqual(['a-', 'b-', 'c-'])
  expect(new Set(received.map(({ observedAt }) => observedAt))).toEqual(new Set(['2026-01-15T12:00:00.000Z']))
})

it('serveRecordedSignals: a client that reads slowly gets all signals when the server closes after the last one', async () => {
  const text = 'x'.repeat(100_000)
  const ids = Array.from({ length: 300 }, (_, index) => String(index))
  const lines = ids.map((id) => JSON.stringify({ ...JSON.parse(createLine(id, 0)), text }))
  replay = await serveRecordedSignals(lines.join('\n'), { clock: fakeClock(), exact: true })
  const received: string[] = []
  const ws = new WebSocket(replay.url)
  ws.on('open', () => ws.pause())
  ws.on('message', (data) => received.push(JSON.parse(data.toString()).id))
  const closeCode = new Promise<number>((resolve) => ws.once('close', resolve))
  await replay.finished
  const closing = replay.close()
  ws.resume()
  expect([await closeCode, received]).toEqual([1000, ids])
  await closing
})

it('serveRecordedSignals: replays at ten times the speed and keeps each line when `speed` is 10 and `exact` is set', async () => {
  const { pauses, received } = await replaySignals({ speed: 10, exact: true })
  expect(pauses).toEqual([0, 200, 400])
  expect(received.map((one) => JSON.stringify(one)).join('\n')).toBe(recording.replace('\n\n', '\n'))
})
