import { simulateHandover } from '@tocsin/server/test/support/handover-test-bed.ts'
import { createRandom } from '@tocsin/server/test/support/seeded-random.ts'
import { ownEnvironment } from '../scripts/own-environment.mjs'
import { testHostileClients } from './stream/hostile.ts'
import { testLoad } from './stream/load.ts'

/**
 * Fault test of the live stream: `node --import tsx fault-tests/stream.ts [interleavings] [sockets]
 * [alerts] [seed]`. The defaults are 10,000, 1,000, 10,000 and a seed from the clock. Tests random
 * interleavings of backfill, live alerts and lost connections; many sockets whose subscriptions end
 * at random moments; and hostile clients. The exit code is 1 if any check failed.
 */
ownEnvironment()
const [interleavings = 10_000, sockets = 1_000, alerts = 10_000, seed = Date.now() % 1_000_000] = process.argv
  .slice(2)
  .map(Number)

const problems: string[] = []
console.log(`seed ${seed}`)

let receivedCount = 0
for (let run = 0; run < interleavings; run += 1) {
  const result = await simulateHandover(seed + run)
  receivedCount += result.announced.length
  if (result.announced.join() !== result.due.join())
    problems.push(`interleaving ${seed + run}: received ${result.announced}, expected ${result.due}`)
}
console.log(`${interleavings} interleavings, ${receivedCount} alerts received: ${problems.length} failed`)

const load = await testLoad(sockets, alerts, createRandom(seed))
problems.push(...load.problems)
console.log(
  `${sockets} sockets, ${alerts} alerts, ${load.deliveries} deliveries: ${load.problems.length} sockets received other alerts`,
)

problems.push(...(await testHostileClients(console.log)))

for (const problem of problems.slice(0, 20)) console.log(problem)
console.log(problems.length === 0 ? 'all checks passed' : `${problems.length} checks failed`)
process.exitCode = problems.length === 0 ? 0 : 1
