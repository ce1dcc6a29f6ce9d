import { paymentFailpoints } from '@tocsin/server/failpoint.ts'
import { openPaymentFailpointScene } from './failpoint-fault-test/payment-scene.ts'
import { ownEnvironment } from './own-environment.mjs'

/**
 * Kills the server (kill -9, by itself) between all steps of a purchase, again and again:
 * `node --import tsx scripts/payment-failpoint-fault-test.ts [times] [beginning of a name]`, 20 times at each failpoint unless told otherwise.
 *
 * The server runs as a process of its own on a real PostgreSQL and a real chain that stay. Each time a trader orders, pays and reports the
 * transaction until the server is gone. Then the order is asked for again with the same key, which must be the same order, and without another report
 * it must be paid: once, with one period, and the ledger must be what the chain shows. Prints a line for each failpoint; the exit code is 1 when anything was wrong.
 */
ownEnvironment()
const TIMES = Number(process.argv[2] ?? 20)
const chosen = paymentFailpoints.filter((failpoint) => failpoint.startsWith(process.argv[3] ?? ''))

const scene = await openPaymentFailpointScene()
let failed = 0
try {
  for (const failpoint of chosen) {
    const problems: string[] = []
    for (let time = 0; time < TIMES; time += 1) {
      try {
        await scene.crashAt(failpoint)
      } catch (error) {
        problems.push(error instanceof Error ? error.message : String(error))
      }
    }
    failed += problems.length
    console.log(
      `${failpoint.padEnd(24)} killed ${TIMES} times: ${problems.length === 0 ? 'nothing wrong' : problems.join('; ')}`,
    )
  }
} finally {
  await scene.stop()
}
console.log(failed === 0 ? `${chosen.length * TIMES} deaths, no payment lost or doubled` : `${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
