import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { createTestClient, type TestClient } from '@tocsin/testkit'
import { crashWhileStarting, crashWhileWorking, waitUntilReady } from './crash/kill.ts'
import { type AcknowledgedData, createEmptyLedger, findLosses } from './crash/ledger.ts'
import { type Component, components, createTarget, type Target } from './crash/target.ts'

/**
 * Fault test: repeatedly kills the running product (kill -9) and checks that no acknowledged data
 * is lost. `node --import tsx fault-tests/crash.ts [rounds]`. The default is 20 rounds.
 *
 * All rounds share one data folder. Each round kills node, npm, PostgreSQL, anvil or all of them at
 * a random moment: during the first start, during a later start, or under load (alerts are issued,
 * a new user signs up, pays and subscribes). The product is then restarted without any clean-up and
 * compared with everything that it acknowledged in this and all earlier rounds: each alert exists
 * once and unchanged, the log has no gap, subscriptions are active, transactions are in their
 * blocks, every alert is anchored, proofs verify, and no process of the killed run is left. Prints
 * a table. The exit code is 1 if anything was lost.
 */
const ROUNDS = Number(process.argv[2] ?? 20)

type Moment = 'first data' | 'starting' | 'working'

interface Round {
  component: Component
  moment: Moment
  afterMs: number
  /**
   * Time until the product was ready again. It begins at the restart, or at the crash if the
   * product recovered by itself.
   */
  recoveryMs: number
  losses: string[]
}

function planRound(round: number): Pick<Round, 'component' | 'moment' | 'afterMs'> {
  const component = components[round % components.length] ?? 'everything'
  if (round < components.length) return { component, moment: 'first data', afterMs: 700 + Math.random() * 3_500 }
  const moment = round % 3 === 0 ? 'starting' : 'working'
  return { component, moment, afterMs: moment === 'starting' ? 600 + Math.random() * 900 : 300 + Math.random() * 4_500 }
}

async function runRound(target: Target, round: number, ledger: AcknowledgedData, admin: TestClient): Promise<Round> {
  const plannedCrash = planRound(round)
  const { component, moment, afterMs } = plannedCrash
  try {
    if (moment !== 'working' && target.isRunning()) await target.stop()
    if (moment === 'working' && !target.isRunning()) await target.start()
    if (moment === 'working') await signIn(admin, target)
    const recoveryMs =
      moment === 'working'
        ? await crashWhileWorking(target, admin, ledger, { round, component, afterMs })
        : await crashWhileStarting(target, component, afterMs)
    await waitUntilReady(target.url)
    await signIn(admin, target)
    return { ...plannedCrash, recoveryMs, losses: await findLosses(ledger, admin, target.chainUrl) }
  } catch (error) {
    return { ...plannedCrash, recoveryMs: Number.NaN, losses: [error instanceof Error ? error.message : String(error)] }
  }
}

/** Signs in only once, because the session must survive every crash. */
async function signIn(admin: TestClient, target: Target): Promise<void> {
  if (admin.cookie() === '') await admin.call('login', { body: target.admin })
}

function printRound(
  round: number,
  { component, moment, afterMs, recoveryMs, losses }: Round,
  ledger: AcknowledgedData,
): void {
  const columns = [
    String(round + 1).padStart(3),
    component.padEnd(10),
    moment.padEnd(10),
    `${Math.round(afterMs)} ms`.padStart(8),
    `${Math.round(recoveryMs)} ms`.padStart(8),
    `${ledger.alerts.length} alerts`.padStart(10),
    `${ledger.purchases.length} plans`.padStart(8),
    `${ledger.minedBlockHashes.size} tx`.padStart(7),
    losses.length === 0 ? 'no data lost' : losses.join('; '),
  ]
  console.log(columns.join('  '))
}

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-crash-'))
  const [port, chainPort] = [await findFreePort(), await findFreePort()]
  const target = createTarget({ dataDir, port, chainPort })
  let admin = createTestClient(target.url)
  const ledger = createEmptyLedger()
  let failedRounds = 0
  console.log('  #  killed      while        after   recovery   acknowledged so far')
  for (let round = 0; round < ROUNDS; round += 1) {
    // Each of the first rounds interrupts the first start of a product, so it needs an empty
    // folder.
    if (round > 0 && round < components.length) {
      await target.stop()
      await rm(dataDir, { recursive: true })
      admin = createTestClient(target.url)
    }
    const result = await runRound(target, round, ledger, admin)
    if (result.losses.length > 0) failedRounds += 1
    printRound(round, result, ledger)
  }
  await target.stop()
  if (failedRounds === 0) await rm(dataDir, { recursive: true })
  console.log(
    failedRounds === 0
      ? `${ROUNDS} crashes, no data lost`
      : `${failedRounds} of ${ROUNDS} rounds failed; the data is in ${dataDir}`,
  )
  process.exitCode = failedRounds === 0 ? 0 : 1
}

await main()
