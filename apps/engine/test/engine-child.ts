import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { createMonotonicClock } from '../src/monotonic-clock.ts'
import { createParts } from '../src/parts.ts'
import { runMain } from '../src/run-main.ts'
import { systemScheduler } from '../src/scheduler.ts'
import { fakeParts } from './fake-engine.ts'

// Runs the engine as a separate process that a test can kill. It reads the time from a file that
// the test writes, and its intervals are ten times shorter than usual. If TEST_KILLED_AT is set, it
// kills itself after that number of file writes and renames.

const { TEST_CLOCK: path, TEST_ENGINE: engine, TEST_KILLED_AT: killedAt } = process.env
const wallMs = () => (path === undefined ? Date.now() : Number(fs.readFileSync(path, 'utf8')))
const schedule = {
  ...systemScheduler,
  every: (intervalMs: number, run: () => void) => systemScheduler.every(intervalMs / 10, run),
}
let writesLeft = Number(killedAt ?? Number.POSITIVE_INFINITY)
const countWrite = () => {
  writesLeft -= 1
  if (writesLeft < 0) process.kill(process.pid, 'SIGKILL')
}
if (killedAt !== undefined) {
  const { writeSync, renameSync } = fs
  Object.assign(fs, {
    writeSync: (...args: Parameters<typeof writeSync>) => {
      countWrite()
      return writeSync(...args)
    },
    renameSync: (...args: Parameters<typeof renameSync>) => {
      countWrite()
      renameSync(...args)
    },
  })
  syncBuiltinESMExports()
}
const getParts = (shortHorizonSeconds: number | null) => {
  const realParts = createParts(shortHorizonSeconds)
  if (engine === 'stand-in') return fakeParts
  return engine === 'stand-in with real verdicts' ? { ...fakeParts, evaluate: realParts.evaluate } : realParts
}
runMain(({ shortHorizonSeconds }) => getParts(shortHorizonSeconds), {
  clock: createMonotonicClock(wallMs, () => 0),
  schedule,
})
