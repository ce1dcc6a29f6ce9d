import { MINUTE_MS } from '@tocsin/protocol/durations'
import { startTestDatabase } from '@tocsin/testkit'
import { simulate } from './channels/simulate.ts'

/**
 * Fault test: 24 simulated hours of deliveries to 24 destinations, with 5 % failures, an outage of
 * two hours and 20 kills. `node --import tsx fault-tests/channels.ts [runs] [seed]`. The exit code
 * is 1 if a delivery was lost or repeated without a kill, or the sums of the ledger do not agree.
 */
const RUNS = Number(process.argv[2] ?? 1)
const SEED = Number(process.argv[3] ?? 1)

const database = await startTestDatabase()
let failed = 0
try {
  for (let run = 0; run < RUNS; run += 1) {
    const { problems, states, ...counts } = await simulate(database, {
      hours: 24,
      stepMs: MINUTE_MS,
      alertEveryMs: 10 * MINUTE_MS,
      destinations: 24,
      kills: 20,
      outage: { from: 8, to: 10 },
      seed: SEED + run,
      kill: 'process',
    })
    console.log(`seed ${SEED + run}:`, JSON.stringify({ ...counts, ...states }), problems.join('; ') || 'nothing lost')
    if (problems.length > 0) failed += 1
  }
} finally {
  await database.stop()
}
process.exitCode = failed > 0 ? 1 : 0
