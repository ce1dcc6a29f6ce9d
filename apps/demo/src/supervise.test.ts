import { eventually } from '@tocsin/testkit/eventually'
import { afterEach, expect, test } from 'vitest'
import type { RunningChild } from './child-process.ts'
import { type Supervised, supervise } from './supervise.ts'

let supervised: Supervised | null = null
afterEach(() => supervised?.stop())

/** Creates programs that end only when they are stopped. */
function fakePrograms() {
  const pids: number[] = []
  const start = async (): Promise<RunningChild> => {
    const pid = pids.length + 1
    pids.push(pid)
    let resolveExit = (_how: string) => {}
    const exited = new Promise<string>((resolve) => {
      resolveExit = resolve
    })
    return { pid, logStart: 0, exited, stop: async () => resolveExit('signal SIGKILL') }
  }
  return { pids, start }
}

test('supervise: restarts a program when its probes keep failing, but not when every fourth probe succeeds', async () => {
  const { pids, start } = fakePrograms()
  const lines: string[] = []
  let probeCount = 0
  let isHanging = false
  const isAnswering = async () => {
    probeCount += 1
    if (isHanging) return pids.length > 1
    return probeCount % 4 === 0
  }
  const probe = { isAnswering, everyMs: 1 }
  supervised = await supervise('The database', start, (line) => lines.push(line), probe)
  await eventually(async () => expect(probeCount).toBeGreaterThan(40))
  expect(pids).toEqual([1])
  isHanging = true
  await eventually(async () => expect(pids).toEqual([1, 2]))
  expect(lines).toEqual([
    'The database no longer responds, stopping it',
    'The database ended unexpectedly (signal SIGKILL), restarting',
  ])
  const probeCountBefore = probeCount
  await eventually(async () => expect(probeCount).toBeGreaterThan(probeCountBefore + 10))
  expect(pids).toEqual([1, 2])
})

test('supervise: gives up when a program that never responds has ended five times within a minute', async () => {
  const { pids, start } = fakePrograms()
  supervised = await supervise('The database', start, () => {}, { isAnswering: async () => false, everyMs: 1 })
  expect(await supervised.exited).toBe('The database ended 5 times in a minute (signal SIGKILL).')
  expect(pids).toHaveLength(5)
})
