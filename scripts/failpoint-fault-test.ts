import { failpoints } from '@tocsin/server/failpoint.ts'
import { openFailpointScene } from './failpoint-fault-test/scene.ts'
import { ownEnvironment } from './own-environment.mjs'

/**
 * Kills the server (kill -9, by itself) between all steps of appending and anchoring, again and again:
 * `node --import tsx scripts/failpoint-fault-test.ts [times] [beginning of a name]`, 20 times at each failpoint unless told otherwise.
 *
 * The server runs as a process of its own on a real PostgreSQL and a real chain that stay. Before each death it acknowledges alerts. After each,
 * the whole log is recomputed (no fork, no gap, no broken signature, node or head), and every alert that was ever acknowledged must be there,
 * once and at its place. At the end everything has to be anchored, and each anchored root must be the one that the entries give. Prints a
 * line for each failpoint; the exit code is 1 when anything was wrong.
 */
ownEnvironment()
const TIMES = Number(process.argv[2] ?? 20)
const chosen = failpoints.filter((failpoint) => failpoint.startsWith(process.argv[3] ?? ''))

const scene = await openFailpointScene()
let failed = 0
try {
  for (const failpoint of chosen) {
    let acknowledged = 0
    const problems: string[] = []
    for (let time = 0; time < TIMES; time += 1) {
      try {
        acknowledged += await scene.crashAt(failpoint, Math.floor(Math.random() * 6))
      } catch (error) {
        problems.push(error instanceof Error ? error.message : String(error))
      }
    }
    failed += problems.length
    const result = problems.length === 0 ? 'nothing wrong' : problems.join('; ')
    console.log(`${failpoint.padEnd(24)} killed ${TIMES} times, ${acknowledged} alerts acknowledged: ${result}`)
  }
  const { size, acknowledged, anchors } = await scene.settle()
  console.log(
    `${size} entries, ${acknowledged} alerts acknowledged, ${anchors} anchors: each root is that of the entries`,
  )
} catch (error) {
  failed += 1
  console.log(error instanceof Error ? error.message : String(error))
} finally {
  await scene.stop()
}
console.log(failed === 0 ? `${chosen.length * TIMES} deaths, nothing lost` : `${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
