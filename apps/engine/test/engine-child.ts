import { readFileSync } from 'node:fs'
import { createSteadyClock } from '../src/clock.ts'
import { createParts } from '../src/parts.ts'
import { runMain } from '../src/run-main.ts'
import { systemScheduler } from '../src/scheduler.ts'
import { standInParts } from './stand-in.ts'

// The real process, so that a test can kill it. The test writes the time to a file, and timers run
// ten times as fast.

const { TEST_CLOCK: path, TEST_ENGINE: engine } = process.env
const wallMs = () => (path === undefined ? Date.now() : Number(readFileSync(path, 'utf8')))
const schedule = {
  ...systemScheduler,
  every: (intervalMs: number, run: () => void) => systemScheduler.every(intervalMs / 10, run),
}
runMain(({ shortHorizonSeconds }) => (engine === 'stand-in' ? standInParts : createParts(shortHorizonSeconds)), {
  clock: createSteadyClock(wallMs, () => 0),
  schedule,
})
