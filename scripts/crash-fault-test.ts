import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '@tocsin/server/embedded/free-port.ts'
import { createTestClient, type TestClient } from '@tocsin/testkit'
import { crashWhileStarting, crashWhileWorking, waitUntilReady } from './crash-fault-test/crash.ts'
import { emptyLedger, findLosses, type Ledger } from './crash-fault-test/ledger.ts'
import { type Component, components, createTarget, type Target } from './crash-fault-test/target.ts'

/**
 * Kills the product (kill -9) again and again and checks that nothing which it had acknowledged is lost:
 * `node --import tsx scripts/crash-fault-test.ts [rounds]`, 20 rounds unless told otherwise.
 *
 * All rounds use one data folder. In each, one of node, npm, PostgreSQL, anvil or everything at once is killed at a random moment: while it makes
 * its first data, while it starts, or while alerts are issued and a newcomer signs up, pays and subscribes. It is then
 * started again without any clean-up, and compared with all that was acknowledged in this and every earlier round: each alert is there once and the
 * same, the log has no gap, subscriptions run, transactions are in their blocks, every alert is anchored, proofs verify,
 * and of the killed run no process is left. Prints a table; the exit code is 1 when anything was lost.
 */
const ROUNDS = Number(process.argv[2] ?? 20)

type Moment = 'first data' | 'starting' | 'working'

interface Round {
  component: Component
  moment: Moment
  afterMs: number
  /** From the start, or the crash that it got over by itself, until it answered. */
  backMs: number
  losses: string[]
}

function plan(round: number): Pick<Round, 'component' | 'moment' | 'afterMs'> {
  const component = components[round % components.length] ?? 'everything'
  if (round < components.length) return { component, moment: 'first data', afterMs: 700 + Math.random() * 3_500 }
  const moment = round % 3 === 0 ? 'starting' : 'working'
  return { component, moment, afterMs: moment === 'starting' ? 600 + Math.random() * 900 : 300 + Math.random() * 4_500 }
}

async function runRound(target: Target, round: number, ledger: Ledger, admin: TestClient): Promise<Round> {
  const planned = plan(round)
  const { component, moment, afterMs } = planned
  try {
    if (moment !== 'working' && target.isRunning()) await target.stop()
    if (moment === 'working' && !target.isRunning()) await target.start()
    if (moment === 'working') await signIn(admin, target)
    const backMs =
      moment === 'working'
        ? await crashWhileWorking(target, admin, ledger, { round, component, afterMs })
        : await crashWhileStarting(target, component, afterMs)
    await waitUntilReady(target.url)
    await signIn(admin, target)
    return { ...planned, backMs, losses: await findLosses(ledger, admin, target.chainUrl) }
  } catch (error) {
    return { ...planned, backMs: Number.NaN, losses: [error instanceof Error ? error.message : String(error)] }
  }
}

/** Once: the session itself must outlive every crash. */
async function signIn(admin: TestClient, target: Target): Promise<void> {
  if (admin.cookie() === '') await admin.call('login', { body: target.admin })
}

function print(round: number, { component, moment, afterMs, backMs, losses }: Round, ledger: Ledger): void {
  const columns = [
    String(round + 1).padStart(3),
    component.padEnd(10),
    moment.padEnd(10),
    `${Math.round(afterMs)} ms`.padStart(8),
    `${Math.round(backMs)} ms`.padStart(8),
    `${ledger.alerts.length} alerts`.padStart(10),
    `${ledger.purchases.length} plans`.padStart(8),
    `${ledger.mined.size} tx`.padStart(7),
    losses.length === 0 ? 'nothing lost' : losses.join('; '),
  ]
  console.log(columns.join('  '))
}

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-crash-'))
  const [port, chainPort] = [await findFreePort(), await findFreePort()]
  const target = createTarget({ dataDir, port, chainPort })
  let admin = createTestClient(target.url)
  const ledger = emptyLedger()
  let failed = 0
  console.log('  #  killed      while        after       back   acknowledged so far')
  for (let round = 0; round < ROUNDS; round += 1) {
    // A first start can be cut off once only: the first rounds begin with an empty folder each.
    if (round > 0 && round < components.length) {
      await target.stop()
      await rm(dataDir, { recursive: true })
      admin = createTestClient(target.url)
    }
    const result = await runRound(target, round, ledger, admin)
    if (result.losses.length > 0) failed += 1
    print(round, result, ledger)
  }
  await target.stop()
  if (failed === 0) await rm(dataDir, { recursive: true })
  console.log(
    failed === 0
      ? `${ROUNDS} crashes, nothing lost`
      : `${failed} of ${ROUNDS} rounds failed; the data is in ${dataDir}`,
  )
  process.exitCode = failed === 0 ? 0 : 1
}

await main()
