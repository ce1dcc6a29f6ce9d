import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Scheduler } from './scheduler.ts'
import { startWarmReads } from './warm-reads.ts'

/** Waits until all reads that are not blocked have ended. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

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

test('warm reads: run sequentially at the start and at each interval, even when one fails', async () => {
  const { logged, timers, options } = createDependencies()
  const begun: string[] = []
  let release = () => {}
  const stop = startWarmReads(
    {
      slow: () => {
        begun.push('slow')
        return new Promise<void>((resolve) => {
          release = resolve
        })
      },
      failing: async () => {
        begun.push('failing')
        throw new Error('no database')
      },
      last: async () => begun.push('last'),
    },
    options,
  )
  await settle()
  expect(begun).toEqual(['slow'])
  release()
  await settle()
  expect(begun).toEqual(['slow', 'failing', 'last'])
  expect(logged).toHaveLength(1)
  expect(logged[0]).toContain('"name":"failing"')

  for (const tick of timers) tick()
  await settle()
  release()
  await settle()
  expect(begun).toEqual(['slow', 'failing', 'last', 'slow', 'failing', 'last'])
  await stop()
})

test('warm reads: stopping waits for the read that runs, and starts no other one', async () => {
  const { timers, options } = createDependencies()
  let release = () => {}
  let isOver = false
  let others = 0
  const stop = startWarmReads(
    {
      slow: () =>
        new Promise<void>((resolve) => {
          release = resolve
        }),
      other: async () => others++,
    },
    options,
  )
  const stopped = stop().then(() => {
    isOver = true
  })
  await settle()
  expect(isOver).toBe(false)
  release()
  await stopped
  expect(others).toBe(0)
  expect(timers).toEqual([])
})
