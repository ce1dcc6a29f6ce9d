import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Scheduler } from './scheduler.ts'
import { startWarmReads } from './warm-reads.ts'

/** Waits until all reads that are not blocked have ended. */
const flushEventLoop = () => new Promise((resolve) => setImmediate(resolve))

function createDependencies() {
  const logged: string[] = []
  const timers: (() => void)[] = []
  const scheduler: Scheduler = {
    after: () => () => {},
    every(_intervalMs, run) {
      timers.push(run)
      return () => void timers.splice(0)
    },
  }
  const logger = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) })
  return { logged, timers, options: { logger, scheduler } }
}

test('cache warm-up: runs the reads sequentially at the start and at each interval, even when one fails', async () => {
  const { logged, timers, options } = createDependencies()
  const startedReads: string[] = []
  let releaseSlowRead = () => {}
  const stop = startWarmReads(
    {
      slow: () => {
        startedReads.push('slow')
        return new Promise<void>((resolve) => {
          releaseSlowRead = resolve
        })
      },
      failing: async () => {
        startedReads.push('failing')
        throw new Error('no database')
      },
      last: async () => startedReads.push('last'),
    },
    options,
  )
  await flushEventLoop()
  expect(startedReads).toEqual(['slow'])
  releaseSlowRead()
  await flushEventLoop()
  expect(startedReads).toEqual(['slow', 'failing', 'last'])
  expect(logged).toHaveLength(1)
  expect(logged[0]).toContain('"name":"failing"')

  for (const tick of timers) tick()
  await flushEventLoop()
  releaseSlowRead()
  await flushEventLoop()
  expect(startedReads).toEqual(['slow', 'failing', 'last', 'slow', 'failing', 'last'])
  await stop()
})

test('cache warm-up: stopping waits for the running read and starts no further reads', async () => {
  const { timers, options } = createDependencies()
  let releaseSlowRead = () => {}
  let isOver = false
  let otherCount = 0
  const stop = startWarmReads(
    {
      slow: () =>
        new Promise<void>((resolve) => {
          releaseSlowRead = resolve
        }),
      other: async () => otherCount++,
    },
    options,
  )
  const stopped = stop().then(() => {
    isOver = true
  })
  await flushEventLoop()
  expect(isOver).toBe(false)
  releaseSlowRead()
  await stopped
  expect(otherCount).toBe(0)
  expect(timers).toEqual([])
})
