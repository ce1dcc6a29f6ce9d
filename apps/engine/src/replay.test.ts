import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { playRecordings } from './replay.ts'
import type { Runner } from './runner.ts'
import { systemScheduler } from './scheduler.ts'

const first = Date.parse('2025-02-01T00:00:00Z')

function createTestBed({ eventTime = 0, inputs = 0, speed = Number.POSITIVE_INFINITY } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'engine-replay-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const trades = [10, 70, 130].map((seconds, index) => `${index + 1},1,1,1,${first + seconds * 1_000},True,True`)
  writeFileSync(join(folder, 'BTCUSDT-trades-2025-02-01.csv'), trades.join('\n'))
  const steps: string[] = []
  const waits: number[] = []
  const runner: Pick<Runner, 'ingest' | 'commit' | 'save' | 'eventTime' | 'inputs'> = {
    ingest: (event) => void steps.push(`${event.type} ${'at' in event ? (event.at - first) / 1_000 : ''}`),
    commit() {},
    save: () => void steps.push('save'),
    eventTime: () => eventTime,
    inputs: () => inputs,
  }
  const schedule = {
    ...systemScheduler,
    after(delayMs: number, run: () => void) {
      waits.push(delayMs)
      const timer = setImmediate(run)
      return () => clearImmediate(timer)
    },
  }
  const replay = playRecordings({ folder, speed }, [], runner, schedule, new AbortController().signal)
  const play = () => replay.play(async () => void steps.push(`outcomes ${(replay.minute() - first) / 1_000}`))
  return { play, steps, waits }
}

test('replay: passes the clock event at the end of each minute before the trades of the next minute', async () => {
  const { play, steps } = createTestBed()
  await play()
  expect(steps.slice(1)).toEqual([
    'tick 10',
    'clock 60',
    'outcomes 60',
    'tick 70',
    'clock 120',
    'outcomes 120',
    'tick 130',
    'save',
  ])
})

test('replay: resumes with the outcomes of the last minute when the previous process had not handled them', async () => {
  const { play, steps } = createTestBed({ eventTime: first + 60_000, inputs: 1 })
  await play()
  expect(steps).toEqual(['outcomes 60', 'tick 70', 'clock 120', 'outcomes 120', 'tick 130', 'save'])
})

test('replay: waits between events as long as in the recording when the speed is 1', async () => {
  const { play, waits } = createTestBed({ speed: 1 })
  await play()
  expect(waits).toHaveLength(2)
  expect(waits[0]).toBeGreaterThan(30_000)
  expect(waits[0]).toBeLessThanOrEqual(60_000)
})
