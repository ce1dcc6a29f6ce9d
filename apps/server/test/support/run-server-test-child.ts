import { mock } from 'node:test'
import { DrizzleQueryError } from 'drizzle-orm'
import { type Demo, runServer } from '../../src/run-server.ts'
import type { ShutdownRegistry } from '../../src/shutdown-registry.ts'

// Runs a server that fails with an uncaught error, or in the way that the argument selects:
// `rejection`, `query`, `memory` or `hang`. Its only part takes 10 ms to stop, so the test can
// check that the failing process waits for it. With `hang`, the part never stops.

runServer(async (_settings, _say, shutdown) => {
  if (process.argv[2] === 'hang') return startHangingPart(shutdown)
  shutdown.add(async () => {
    await new Promise((resolve) => setTimeout(resolve, 10))
    process.stdout.write('the part has stopped\n')
  })
  setInterval(() => {}, 60_000)
  if (process.argv[2] === 'memory') {
    const kept: unknown[] = []
    for (;;) kept.push(Array.from({ length: 10_000 }, (_, index) => ({ at: index })))
  }
  const error =
    process.argv[2] === 'query'
      ? new DrizzleQueryError('select $1', ['a secret parameter'], new Error('deadlock detected'))
      : new Error('a defect')
  if (process.argv[2] === 'rejection') void Promise.reject(error)
  else
    setImmediate(() => {
      throw error
    })
  return new Promise(() => {})
})

/**
 * Returns a demo whose database is unreachable, so the server fails to start. While its part stops,
 * the timers run forward by the notice period and then by the time until the process is ended.
 */
async function startHangingPart(shutdown: ShutdownRegistry): Promise<Demo> {
  const { testConfig } = await import('@tocsin/testkit')
  shutdown.add(() => {
    mock.timers.tick(30_000)
    process.stdout.write('the notice period has ended\n')
    mock.timers.tick(17_000)
    return new Promise(() => {})
  })
  mock.timers.enable({ apis: ['setTimeout'] })
  return {
    parts: { ...testConfig(), adminPassword: null },
    extend: {},
    describe: () => '',
    exited: new Promise(() => {}),
  }
}
