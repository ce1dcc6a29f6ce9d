import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { createTestClient, type TestClient } from '@tocsin/testkit'
import { root } from '../scripts/build-stamp.mjs'
import { type AcknowledgedData, createEmptyLedger, findLosses } from './crash/ledger.ts'
import { startLoad } from './crash/load.ts'
import { createTarget, type Target } from './crash/target.ts'
import { buildRelease } from './harness/release.ts'

/**
 * Upgrade test: `npm run fault-test:upgrade -- [tag or commit ...]`, by default from each release
 * tag. The earlier release runs as `npm start` does and is used: alerts are issued, users sign up,
 * pay and subscribe. Then this release starts on the data of the earlier one. Everything that the
 * earlier release has acknowledged must exist unchanged and verify, sessions must still be valid,
 * and alerts, sign-ups and purchases must still work. The exit code is 1 if anything was lost.
 */
const ALERTS = 20
const POLL_MS = 250
/** Timeout that only ends tests that hang. */
const LOAD_TIMEOUT_MS = 600_000

async function runLoad(target: Target, admin: TestClient, ledger: AcknowledgedData, round: number): Promise<void> {
  const [targetAlertCount, targetPurchaseCount] = [ledger.alerts.length + ALERTS, ledger.purchases.length + 1]
  const load = startLoad(target, admin, ledger, round)
  const deadline = performance.now() + LOAD_TIMEOUT_MS
  while (ledger.alerts.length < targetAlertCount || ledger.purchases.length < targetPurchaseCount) {
    if (performance.now() > deadline) throw new Error(`${target.url} cannot be used`)
    await delay(POLL_MS)
  }
  await load.stop()
}

async function testUpgradeFrom(ref: string): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'tocsin-upgrade-'))
  const release = join(dir, 'release')
  const options = { dataDir: join(dir, 'data'), port: await findFreePort(), chainPort: await findFreePort() }
  const [earlierTarget, newestTarget] = [createTarget({ ...options, from: release }), createTarget(options)]
  const ledger = createEmptyLedger()
  try {
    buildRelease(ref, release)
    await earlierTarget.start()
    const admin = createTestClient(earlierTarget.url)
    await admin.call('login', { body: earlierTarget.admin })
    await runLoad(earlierTarget, admin, ledger, 0)
    await earlierTarget.stop()
    await newestTarget.start()
    const losses = await findLosses(ledger, admin, newestTarget.chainUrl)
    await runLoad(newestTarget, admin, ledger, 1)
    return [...losses, ...(await findLosses(ledger, admin, newestTarget.chainUrl))]
  } finally {
    await earlierTarget.stop()
    await newestTarget.stop()
    await rm(dir, { recursive: true })
  }
}

const chosenRefs = process.argv.slice(2)
const tags = execFileSync('git', ['tag', '--list', 'v*'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
const refs = chosenRefs.length > 0 ? chosenRefs : tags
if (refs.length === 0) throw new Error('No release is tagged yet: name a commit')
for (const ref of refs) {
  const losses = await testUpgradeFrom(ref).catch((error) => [error instanceof Error ? error.message : String(error)])
  console.log(`upgrade from ${ref}: ${losses.length === 0 ? 'nothing was lost' : losses.join('; ')}`)
  if (losses.length > 0) process.exitCode = 1
}
