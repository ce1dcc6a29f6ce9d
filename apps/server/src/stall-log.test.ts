import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Scheduler } from './scheduler.ts'
import { logStalls } from './stall-log.ts'

function createTestLog() {
  const lines: Record<string, unknown>[] = []
  let now = 0
  let cpu = 0
  let requests: string[] = []
  const ticks: (() => void)[] = []
  const windowEnds: (() => void)[] = []
  const scheduler: Scheduler = {
    after(_delayMs, run) {
      windowEnds.push(run)
      return () => {}
    },
    every(_intervalMs, run) {
      ticks.push(run)
      return () => void ticks.splice(0)
    },
  }
  const stop = logStalls({
    logger: pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    scheduler,
    takeRequests: () => requests,
    jobs: () => ['payments'],
    nowMs: () => now,
    cpuMs: () => cpu,
  })
  return {
    lines,
    ticks,
    stop,
    endWindow: () => windowEnds.splice(0).forEach((end) => void end()),
    tick(afterMs: number, cpuMs = 0, running: string[] = []) {
      now += afterMs
      cpu += cpuMs
      requests = running
      for (const run of ticks) run()
    },
  }
}

test('logStalls: logs a stall of more than a second with its duration, CPU time, requests and jobs', () => {
  const { lines, tick } = createTestLog()
  tick(250)
  tick(1_250, 1_000, ['GET /api/quick'])
  expect(lines).toEqual([])
  tick(1_751, 1_490, ['GET /api/slow'])
  expect(lines).toMatchObject([
    { level: 40, stalledMs: 1_501, cpuMs: 1_490, requests: ['GET /api/slow'], jobs: ['payments'] },
  ])
  tick(250)
  expect(lines).toHaveLength(1)
})

test('logStalls: logs at most 20 stalls a minute with at most 10 requests each, and counts the stalls that it omits', () => {
  const { lines, ticks, tick, endWindow, stop } = createTestLog()
  for (let stall = 0; stall < 25; stall += 1) tick(2_000, 0, Array(30).fill('GET /api/slow'))
  expect(lines).toHaveLength(20)
  expect(lines[0]).toMatchObject({ requests: Array(10).fill('GET /api/slow') })
  endWindow()
  expect(lines.at(-1)).toMatchObject({ suppressed: 5 })
  stop()
  expect(ticks).toEqual([])
})
