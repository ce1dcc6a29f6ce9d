import { paymentFailpoints } from '@tocsin/server/failpoint.ts'
import { ownEnvironment } from '../scripts/own-environment.mjs'
import { openPaymentFailpointFixture } from './failpoints/payment-fixture.ts'

/**
 * Fault test: the server kills itself (SIGKILL) at every failpoint of a purchase. `node --import
 * tsx fault-tests/payment-failpoints.ts [times] [failpoint prefix]`. The default is 20 times per
 * failpoint.
 *
 * The server runs as a separate process. PostgreSQL and the chain are real and keep running. Each
 * time, a trader orders, pays and reports the transaction, and the server crashes during one of
 * these steps. The order is then requested again with the same idempotency key, which must return
 * the same order. Although the transaction is not reported again, the order must be paid exactly
 * once, with one subscription, and the ledger must match the chain. Prints a line per failpoint.
 * The exit code is 1 if any check failed.
 */
ownEnvironment()
const REPETITIONS = Number(process.argv[2] ?? 20)
const chosenFailpoints = paymentFailpoints.filter((failpoint) => failpoint.startsWith(process.argv[3] ?? ''))

const fixture = await openPaymentFailpointFixture()
let failedCount = 0
try {
  for (const failpoint of chosenFailpoints) {
    const problems: string[] = []
    for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
      try {
        await fixture.crashAt(failpoint)
      } catch (error) {
        problems.push(error instanceof Error ? error.message : String(error))
      }
    }
    failedCount += problems.length
    console.log(
      `${failpoint.padEnd(24)} killed ${REPETITIONS} times: ${problems.length === 0 ? 'passed' : problems.join('; ')}`,
    )
  }
} finally {
  await fixture.stop()
}
console.log(
  failedCount === 0
    ? `${chosenFailpoints.length * REPETITIONS} crashes, no payment lost or duplicated`
    : `${failedCount} failed`,
)
process.exitCode = failedCount === 0 ? 0 : 1
