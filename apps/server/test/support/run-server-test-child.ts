import { DrizzleQueryError } from 'drizzle-orm'
import { runServer } from '../../src/run-server.ts'

// Runs a server that fails with an uncaught error, or in the way that the argument selects:
// `rejection`, `query` or `memory`. Its only part takes 10 ms to stop, so the test can check that
// the failing process waits for it.

runServer(async (_settings, _say, shutdown) => {
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
