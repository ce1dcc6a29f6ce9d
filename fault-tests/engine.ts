import { failpoints } from '@tocsin/server/failpoint.ts'
import { ownEnvironment } from '../scripts/own-environment.mjs'
import { type Crash, openEngineFixture } from './failpoints/engine-fixture.ts'

/**
 * Fault test of predictions: the engine and the server crash alternately (SIGKILL). Usage: `node
 * --import tsx fault-tests/engine.ts [times]`. By default, each of them crashes 20 times.
 *
 * The engine kills itself at a random write to its folder. The server kills itself at a failpoint;
 * its crashes cycle through all failpoints of appending entries. After each crash, the test kills
 * the other process too. PostgreSQL, the chain and a simulated exchange keep running. Engine and
 * server read a clock that runs 50 times as fast as real time. At the end, every tenth trade must
 * have exactly one alert, and every alert with a prediction exactly one outcome. The server must
 * have rejected no message, and the whole log is recomputed. Prints a line per crash. The exit code
 * is 1 if any check failed.
 */
ownEnvironment()
const REPETITIONS = Number(process.argv[2] ?? 20)
const MAX_WRITES = 60
const appendFailpoints = failpoints.filter((failpoint) => failpoint.startsWith('append'))

function planCrash(round: number): Crash {
  if (round % 2 === 0) return { engineAtWrite: Math.floor(Math.random() * MAX_WRITES) }
  const serverAt = appendFailpoints[Math.floor(round / 2) % appendFailpoints.length] ?? 'append: before commit'
  return { serverAt, passesBeforeCrash: Math.floor(Math.random() * 12) }
}

const fixture = await openEngineFixture()
let failedCount = 0
try {
  for (let round = 0; round < 2 * REPETITIONS; round += 1) {
    const crash = planCrash(round)
    const problem = await fixture.crash(crash).then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
    if (problem !== null) failedCount += 1
    const crashText = 'serverAt' in crash ? `server at "${crash.serverAt}"` : `engine at write ${crash.engineAtWrite}`
    console.log(`${String(round + 1).padStart(3)}  ${crashText.padEnd(36)} ${problem ?? 'killed'}`)
  }
  const { alerts, predictions, outcomes, candles } = await fixture.settle()
  console.log(`${alerts} alerts, ${predictions} predictions, ${outcomes} outcomes, ${candles} candles of whole days`)
} catch (error) {
  failedCount += 1
  console.log(error instanceof Error ? error.message : String(error))
} finally {
  await fixture.stop()
}
console.log(
  failedCount === 0 ? `${2 * REPETITIONS} crashes, each prediction has exactly one outcome` : `${failedCount} failed`,
)
process.exitCode = failedCount === 0 ? 0 : 1
