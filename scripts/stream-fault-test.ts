import { playSeam, seeded } from '@tocsin/server/features/live/seam-test-bed.ts'
import { ownEnvironment } from './own-environment.mjs'
import { testHostileClients } from './stream-fault-test/hostile.ts'
import { testLoad } from './stream-fault-test/load.ts'

/**
 * The live stream at length: `node --import tsx scripts/stream-fault-test.ts [interleavings] [sockets] [alerts] [seed]`, 10,000, 1,000 and 10,000 unless told
 * otherwise. Random interleavings of history, live, doubts and lost connections; a load whose subscriptions end at random moments; peers that
 * send what no client would. The exit code is 1 when anything was wrong.
 */
ownEnvironment()
const [interleavings = 10_000, sockets = 1_000, alerts = 10_000, seed = Date.now() % 1_000_000] = process.argv
  .slice(2)
  .map(Number)

const problems: string[] = []
console.log(`seed ${seed}`)

let told = 0
for (let run = 0; run < interleavings; run += 1) {
  const played = await playSeam(seed + run)
  told += played.told.length
  if (played.told.join() !== played.due.join())
    problems.push(`interleaving ${seed + run}: told ${played.told}, due ${played.due}`)
}
console.log(`${interleavings} interleavings, ${told} alerts told: ${problems.length} wrong`)

const load = await testLoad(sockets, alerts, seeded(seed))
problems.push(...load.problems)
console.log(
  `${sockets} sockets, ${alerts} alerts, ${load.deliveries} deliveries: ${load.problems.length} sockets heard something else`,
)

problems.push(...(await testHostileClients(console.log)))

for (const problem of problems.slice(0, 20)) console.log(problem)
console.log(problems.length === 0 ? 'nothing wrong' : `${problems.length} wrong`)
process.exitCode = problems.length === 0 ? 0 : 1
