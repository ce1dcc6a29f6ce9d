import { failpoints } from '@tocsin/server/failpoint.ts'
import { ownEnvironment } from '../scripts/own-environment.mjs'
import { openFailpointFixture } from './failpoints/fixture.ts'

/**
 * Fault test: the server kills itself (SIGKILL) at every failpoint of appending to the log and
 * anchoring it. `node --import tsx fault-tests/alert-failpoints.ts [times] [failpoint prefix]`. The
 * default is 20 times per failpoint.
 *
 * The server runs as a separate process. PostgreSQL and the chain are real and keep running. The
 * server acknowledges alerts before each crash. After each crash, the test recomputes the whole
 * log, which must have no fork, no gap, and no invalid signature, Merkle node or log head. Every
 * acknowledged alert must exist once, at its log index. At the end everything must be anchored, and
 * each anchored root must match the entries. Prints a line per failpoint. The exit code is 1 if any
 * check failed.
 */
ownEnvironment()
const REPETITIONS = Number(process.argv[2] ?? 20)
const chosenFailpoints = failpoints.filter((failpoint) => failpoint.startsWith(process.argv[3] ?? ''))

const fixture = await openFailpointFixture()
let failedCount = 0
try {
  for (const failpoint of chosenFailpoints) {
    let acknowledged = 0
    const problems: string[] = []
    for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
      try {
        acknowledged += await fixture.crashAt(failpoint, Math.floor(Math.random() * 6))
      } catch (error) {
        problems.push(error instanceof Error ? error.message : String(error))
      }
    }
    failedCount += problems.length
    const result = problems.length === 0 ? 'passed' : problems.join('; ')
    console.log(`${failpoint.padEnd(24)} killed ${REPETITIONS} times, ${acknowledged} alerts acknowledged: ${result}`)
  }
  const { size, acknowledgedAlerts, anchors } = await fixture.settle()
  console.log(
    `${size} entries, ${acknowledgedAlerts} alerts acknowledged, ${anchors} anchors: all roots match the entries`,
  )
} catch (error) {
  failedCount += 1
  console.log(error instanceof Error ? error.message : String(error))
} finally {
  await fixture.stop()
}
console.log(
  failedCount === 0 ? `${chosenFailpoints.length * REPETITIONS} crashes, no data lost` : `${failedCount} failed`,
)
process.exitCode = failedCount === 0 ? 0 : 1
