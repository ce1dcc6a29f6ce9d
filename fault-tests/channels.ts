import { MINUTE_MS } from '@tocsin/protocol/durations'
import { startTestDatabase } from '@tocsin/testkit'
import { simulate } from './channels/simulate.ts'

/**
 * Fault test: 30 simulated hours of deliveries to destinations of all kinds and settings. 5 % of
 * the requests fail, endpoints have outages of two hours or of more than a day, some endpoints are
 * gone, and the sender is killed 20 times. `node --import tsx fault-tests/channels.ts [runs]
 * [seed]`. The exit code is 1 if a delivery was lost or repeated without a kill, or if the sums of
 * the ledger do not match its rows.
 */
const RUNS = Number(process.argv[2] ?? 1)
const SEED = Number(process.argv[3] ?? 1)

const database = await startTestDatabase()
let failedRuns = 0
try {
  for (let run = 0; run < RUNS; run += 1) {
    const { problems, states, arrived, kills, ...counts } = await simulate(database, {
      hours: 30,
      stepMs: 2 * MINUTE_MS,
      lastStepMs: 30 * MINUTE_MS,
      alertEveryMs: 12 * MINUTE_MS,
      kills: 20,
      outage: { from: 8, to: 10 },
      seed: SEED + run,
      kill: 'process',
    })
    console.log(`seed ${SEED + run}:`, JSON.stringify({ ...counts, ...states, kills: kills.length }))
    console.log(`killed at: ${kills.join(', ')}`)
    console.table(arrived)
    console.log(problems.length > 0 ? problems.join('\n') : 'nothing lost')
    if (problems.length > 0) failedRuns += 1
  }
} finally {
  await database.stop()
}
process.exitCode = failedRuns > 0 ? 1 : 0
