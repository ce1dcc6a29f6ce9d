import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Context } from '@tocsin/server/context.ts'
import { createRandom } from '@tocsin/server/test/support/seeded-random.ts'
import { sql } from 'drizzle-orm'
import { root } from '../scripts/build-stamp.mjs'
import { describeMachine } from '../scripts/describe-machine.ts'
import { ownEnvironment } from '../scripts/own-environment.mjs'
import { checkers } from './harness/checks/checkers.ts'
import { countEvaluated } from './harness/checks/readiness.ts'
import { type RunningEnvironment, startEnvironment } from './harness/environment.ts'
import { type Evidence, gatherEvidence } from './harness/evidence.ts'
import { runFault } from './harness/faults.ts'
import { hasRecovered, measureFaultFreePeriods, measureFaults, summarize } from './harness/figures.ts'
import { createJournal, type FaultRecord } from './harness/journal.ts'
import { type FaultName, randomFaultNames, UPGRADE } from './harness/kinds.ts'
import { startLoad } from './harness/load.ts'
import { measureMemory } from './harness/memory.ts'
import { readOptions } from './harness/options.ts'
import {
  describeDelays,
  describeGap,
  describeMemory,
  describeRun,
  explainSilentKinds,
  readCommit,
  writeTable,
} from './harness/report.ts'
import { planFaults } from './harness/schedule.ts'
import { hasNoPendingWork } from './harness/settled.ts'

/**
 * Fault test of the whole product: `npm run fault-test -- --minutes 20 --seed 7 [--instances 3]
 * [--clients 60] [--signals 4] [--from v0.1.0]`. Runs several instances, PostgreSQL with a
 * replica, a chain, nginx, subscribers, buyers, log-ins and a feed, and injects faults in a random
 * order that the seed determines. At the end, independent checkers compare the tables and the chain
 * with the records of the clients. Prints a table, and exits with code 1 if a checker fails or a
 * goal is missed.
 */
const PAUSE_BETWEEN_FAULTS_MS = 4_000
/** Maximum time to wait for the recovery from a fault before the next fault is injected. */
const RECOVERY_TIMEOUT_MS = 60_000
/**
 * Maximum time until all queues are empty. An email whose instance was killed is sent again after
 * two or four minutes.
 */
const DRAIN_TIMEOUT_MS = 600_000
const POLL_MS = 500
const MAX_PRINTED_FAILURES = 10

ownEnvironment()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
if (!existsSync(join(root, 'apps/web/dist/pages.json'))) throw new Error('Run `npm run build` first')
const options = readOptions(process.argv.slice(2))
const random = createRandom(options.seed)
const journal = createJournal()
/**
 * Delays of this process's event loop, which also delay its clients and its fault-injecting
 * proxies.
 */
const delays = monitorEventLoopDelay()
const environment = await startEnvironment(options, journal, createRandom(options.seed + 1))
let hasFailed = true
try {
  const load = await startLoad(environment, options, journal)
  delays.enable()
  await runFaults()
  delays.disable()
  await load.stopUsers()
  // Drop the connection, so that the feed repeats messages that may have been lost.
  environment.feed.drop()
  const evidence = await waitAndGatherEvidence()
  await load.stop()
  hasFailed = printReport(evidence)
} finally {
  writeJournal(join(environment.dir, 'journal.jsonl'))
  await environment.stop(hasFailed)
  if (hasFailed) console.log(`The logs are in ${environment.dir}`)
}
process.exit(hasFailed ? 1 : 0)

/**
 * Writes each part of the journal and each subscriber to its own line, because the journal of
 * an hour is longer than the maximum length of a string.
 */
function writeJournal(path: string): void {
  const { subscribers, ...otherFields } = journal
  const parts = [...Object.entries(otherFields), ...subscribers.map((subscriber) => ['subscriber', subscriber])]
  writeFileSync(path, '')
  for (const part of parts) appendFileSync(path, `${JSON.stringify(part)}\n`)
}

async function runFaults(): Promise<void> {
  const possibleFaults = listPossibleFaults(environment)
  // Plan twice the time, because most faults end sooner than planned.
  const faults = planFaults(2 * options.minutes, random, possibleFaults)
  const plan = options.fromRelease === '' ? faults : [{ name: UPGRADE, choice: 0 } as const, ...faults]
  const endsAtMs = Date.now() + options.minutes * 60_000
  for (const plannedFault of plan) {
    await delay(PAUSE_BETWEEN_FAULTS_MS)
    if (Date.now() > endsAtMs) break
    const fault = await runFault(environment, plannedFault)
    await waitForRecovery(fault)
    journal.faults.push(fault)
    const [figures] = measureFaults({ ...journal, faults: [fault] })
    const recoveryText = figures?.recoverMs === null ? 'not seen' : `${Math.round(figures?.recoverMs ?? 0)} ms`
    console.log(
      `${new Date().toISOString().slice(11, 19)}  ${fault.name.padEnd(36)} ${fault.target.padEnd(24)} recovered ${recoveryText}, ${figures?.failedRequests} requests failed`,
    )
    if (figures?.missesGoal && figures.longestGap)
      console.log(`  longest stream gap: ${describeGap(figures.longestGap)}`)
    if (fault.name === 'failover of the database') await environment.cluster.restoreReplica()
  }
}

async function waitForRecovery(fault: FaultRecord): Promise<void> {
  const untilMs = Date.now() + RECOVERY_TIMEOUT_MS
  while (Date.now() < untilMs && !(hasRecovered(journal, fault) && areReady())) await delay(POLL_MS)
  fault.endedAtMs = Date.now()
}

function areReady(): boolean {
  return environment.instances.every(
    ({ name }) => journal.readiness.filter(({ instance }) => instance === name).at(-1)?.status === 200,
  )
}

/** Returns the faults that this machine permits, and prints why others are skipped. */
function listPossibleFaults({ cluster, reverseProxy }: RunningEnvironment): FaultName[] {
  const { unlimitedReason } = cluster.disk()
  if (unlimitedReason !== null) console.log(`Skipped: full disk of the database (${unlimitedReason})`)
  if (reverseProxy.noNginxReason !== null)
    console.log(`Without nginx: a TCP proxy distributes connections (${reverseProxy.noNginxReason})`)
  const possibleFaults = randomFaultNames.filter(
    (name) => unlimitedReason === null || name !== 'full disk of the database',
  )
  return options.faultFilter === ''
    ? possibleFaults
    : possibleFaults.filter((name) => name.includes(options.faultFilter))
}

/** Waits until all queues are empty and gathers the evidence. */
async function waitAndGatherEvidence(): Promise<Evidence> {
  const { ctx, close } = await environment.openContext()
  try {
    const untilMs = Date.now() + DRAIN_TIMEOUT_MS
    while ((await hasQueuedMessages(ctx)) && Date.now() < untilMs) await delay(POLL_MS)
    let evidence = await gatherEvidence(ctx, environment.chain, journal)
    while (!hasNoPendingWork(evidence) && Date.now() < untilMs) {
      await delay(4 * POLL_MS)
      await environment.chain.mine()
      evidence = await gatherEvidence(ctx, environment.chain, journal)
    }
    return evidence
  } finally {
    await close()
  }
}

/**
 * Returns true if messages to webhooks are still queued. Uses a short query instead of gathering
 * all evidence, which takes seconds after a long run and would slow down the sending.
 */
async function hasQueuedMessages({ db }: Context): Promise<boolean> {
  const { rows } = await db.execute(sql`select from channel_deliveries where state in ('waiting', 'held') limit 1`)
  return rows.length > 0
}

function printReport(evidence: Evidence): boolean {
  const kinds = summarize(measureFaults(journal))
  const faultFreeStatistics = measureFaultFreePeriods(journal)
  console.log(
    `\n${writeTable(kinds, countEvaluated(journal), faultFreeStatistics)}\n\n${explainSilentKinds(kinds)}\n\n${describeRun(options, evidence)}\n`,
  )
  console.log(`${describeMachine()}, commit ${readCommit()}\n`)
  console.log(`${describeMemory(measureMemory(journal.memory))}\n${describeDelays(delays)}\n`)
  let failures = 0
  for (const [name, check] of Object.entries(checkers)) {
    const problems = check(evidence)
    failures += problems.length
    console.log(`${problems.length === 0 ? 'holds ' : 'FAILED'}  ${name}`)
    for (const problem of problems.slice(0, MAX_PRINTED_FAILURES)) console.log(`        ${problem}`)
    if (problems.length > MAX_PRINTED_FAILURES)
      console.log(`        and ${problems.length - MAX_PRINTED_FAILURES} more`)
  }
  const faultFreeFailures = [...faultFreeStatistics.failedRequests, ...faultFreeStatistics.failedPosts]
  for (const { atMs, status, path } of faultFreeFailures.slice(0, MAX_PRINTED_FAILURES))
    console.log(`Failed outside of faults: ${new Date(atMs).toISOString().slice(11, 23)}  ${path}  ${status}`)
  const missedRows = kinds.filter(({ isMissed }) => isMissed).length + (faultFreeFailures.length > 0 ? 1 : 0)
  console.log(missedRows === 0 ? 'All goals were met.' : `${missedRows} rows missed their goal.`)
  return failures > 0 || missedRows > 0
}
