import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { createServer } from '@tocsin/server/server.ts'
import { createCliTestBed } from '@tocsin/server/test/support/cli-test-bed.ts'
import {
  createTestClient,
  productionEnv,
  startTcpProxy,
  startTestChain,
  type TestClient,
  testConfig,
} from '@tocsin/testkit'
import { describeMachine } from '../scripts/describe-machine.ts'
import { ownEnvironment } from '../scripts/own-environment.mjs'
import { copyFiles, takeBaseBackup, writeOwned } from './harness/cluster.ts'
import { createPostgresNode, DATABASE, type PostgresNode } from './harness/postgres-node.ts'

/**
 * Test of point-in-time recovery as docs/operating.md describes it, with real PostgreSQL and a real
 * chain: `npm run fault-test:recovery`. Takes a base backup, issues alerts while the write-ahead
 * log is archived, and recovers the backup three times: to a moment between two alerts, to the end
 * of the archive, and to a moment before the newest anchor. `tocsin log check` checks each
 * recovered log. Exits with code 1 if a recovery has other alerts than it should.
 */
const ALERTS_BEFORE_BACKUP = 3
const ANCHORED_ALERTS = 6
const TARGET_ALERTS = 9
const ALL_ALERTS = 12
const POLL_MS = 100
const ADMIN = { email: 'admin@example.com', password: 'a bell that rings at night' }

ownEnvironment()
let failures = 0
const dir = mkdtempSync(join(tmpdir(), 'tocsin-recovery-'))
chmodSync(dir, 0o711)
const [archive, base] = [join(dir, 'archive'), join(dir, 'base')]
const chain = await startTestChain()
// This connection is cut to keep alerts from being anchored.
const proxy = await startTcpProxy(chain.url)
const anchor = { ...chain.settings.anchor, contract: await chain.nextAnchorContract() }
const primaryNode = await createPostgresNode(join(dir, 'primary'))
try {
  await startArchiving()
  const times = await issueAlertsAndBackUp()
  await archiveSegmentTwice()
  await primaryNode.kill()
  const segments = readdirSync(archive).filter((name) => /^[0-9A-F]{24}$/.test(name)).length
  console.log(`Base backup after ${ALERTS_BEFORE_BACKUP} alerts, then ${segments} archived segments of 16 MiB.\n`)
  const [target = '', beforeAnchor = ''] = times
  await recoverAndCheck(
    'a moment between two alerts',
    target,
    TARGET_ALERTS,
    /^The log is complete and matches its anchors/m,
  )
  await recoverAndCheck('the end of the archive', null, ALL_ALERTS, /^The log is complete and matches its anchors/m)
  await recoverAndCheck(
    'a moment before the newest anchor',
    beforeAnchor,
    ANCHORED_ALERTS - 1,
    /has \d+ entries, but \d+ are anchored .*: entries are missing\./m,
    1,
  )
  console.log(`\n${describeMachine()}`)
  console.log(failures === 0 ? 'All recoveries have the alerts that they should have.' : `${failures} problems.`)
} finally {
  await primaryNode.kill()
  await proxy.close()
  await chain.stop()
  rmSync(dir, { recursive: true, force: true })
}
process.exit(failures === 0 ? 0 : 1)

/** Starts PostgreSQL with the archive settings of docs/operating.md. */
async function startArchiving(): Promise<void> {
  await primaryNode.create()
  mkdirSync(archive)
  const { uid, gid } = statSync(primaryNode.dataDir)
  chownSync(archive, uid, gid)
  const [file, part] = [`${archive}/%f`, `${archive}/%f.tmp`]
  const archiveCommand = `if test -f ${file}; then cmp -s %p ${file}; else cp %p ${part} && sync ${part} && mv ${part} ${file}; fi`
  const settings = ['wal_level = replica', 'archive_mode = on', `archive_command = '${archiveCommand}'`]
  appendFileSync(join(primaryNode.dataDir, 'postgresql.auto.conf'), `${settings.join('\n')}\n`)
  primaryNode.start()
  await primaryNode.waitUntilReady()
  await primaryNode.query(`create database ${DATABASE}`, 'postgres')
}

/**
 * @returns times of the database: between the alerts TARGET_ALERTS and TARGET_ALERTS + 1, and
 *   before alert ANCHORED_ALERTS
 */
async function issueAlertsAndBackUp(): Promise<[string, string]> {
  const port = await findFreePort()
  const { payment } = chain.settings
  const http = { port, host: 'localhost', publicUrl: `http://localhost:${port}` }
  const server = await createServer(
    testConfig({
      databaseUrl: primaryNode.url(),
      payment,
      anchor: { ...anchor, rpcUrl: proxy.url },
      firstAdmin: ADMIN,
      http,
      logLevel: 'silent',
    }),
  )
  try {
    const admin = createTestClient(server.url)
    await admin.call('login', { body: ADMIN })
    let [target, beforeAnchor] = ['', '']
    for (let number = 1; number <= ALL_ALERTS; number += 1) {
      if (number === ANCHORED_ALERTS) beforeAnchor = await readTime()
      await issueAlert(admin, number)
      if (number === ALERTS_BEFORE_BACKUP) await takeBaseBackup(primaryNode, base)
      if (number === ANCHORED_ALERTS) {
        await waitUntilAnchored()
        proxy.resetConnections()
      }
      if (number === TARGET_ALERTS) target = await readTime()
    }
    return [target, beforeAnchor]
  } finally {
    await server.close()
  }
}

async function issueAlert(admin: TestClient, number: number): Promise<void> {
  const content = { asset: `A${number}/USDT`, anomalyType: 'Spike', confidence: 90, regime: 'trend' } as const
  await admin.call('createAlert', { body: { ...content, summary: `Alert ${number}`, priority: 'high' } })
}

/** Returns the current time of the database, used as a recovery target between two transactions. */
async function readTime(): Promise<string> {
  const [row] = await primaryNode.query("select to_char(clock_timestamp(), 'YYYY-MM-DD HH24:MI:SS.US') || '+00' as at")
  return String(row?.at)
}

async function waitUntilAnchored(): Promise<void> {
  const anchoredQuery =
    'select 1 from log_head h join anchors a on a.size = h.size where h.size = (select count(*) from log_entries)'
  while ((await primaryNode.query(anchoredQuery)).length === 0) await delay(POLL_MS)
}

/**
 * Waits until the segment with the last transaction is in the archive. Then makes PostgreSQL
 * archive it a second time, as after a crash between the archive command and the record that the
 * command succeeded.
 */
async function archiveSegmentTwice(): Promise<void> {
  const name = await switchWalSegment()
  while (!readdirSync(archive).includes(name)) await delay(POLL_MS)
  const statusFile = join(primaryNode.dataDir, 'pg_wal/archive_status', name)
  while (!existsSync(`${statusFile}.done`)) await delay(POLL_MS)
  renameSync(`${statusFile}.done`, `${statusFile}.ready`)
  // A further segment wakes the archiver.
  await primaryNode.query("select pg_create_restore_point('again')", 'postgres')
  await switchWalSegment()
  while (existsSync(`${statusFile}.ready`)) await delay(POLL_MS)
}

/** Ends the current segment. Returns its name. */
async function switchWalSegment(): Promise<string> {
  const [row] = await primaryNode.query('select pg_walfile_name(pg_switch_wal()) as name', 'postgres')
  return String(row?.name)
}

async function recoverAndCheck(
  recoveryName: string,
  target: string | null,
  alerts: number,
  expectedOutput: RegExp,
  code = 0,
): Promise<void> {
  const startedMs = performance.now()
  const node = await createPostgresNode(join(dir, 'recovered'))
  try {
    rmSync(node.dataDir, { recursive: true, force: true })
    copyFiles(base, node.dataDir)
    const settings = [
      `restore_command = 'cp ${archive}/%f %p'`,
      ...(target === null ? [] : [`recovery_target_time = '${target}'`, `recovery_target_action = 'promote'`]),
      // Otherwise the recovered database would write into the archive of the lost one.
      'archive_mode = off',
    ]
    writeOwned(node.dataDir, 'postgresql.auto.conf', `${settings.join('\n')}\n`)
    writeOwned(node.dataDir, 'recovery.signal', '')
    node.start()
    await node.waitUntilReady()
    while ((await node.query('select 1 where pg_is_in_recovery()', 'postgres')).length > 0) await delay(POLL_MS)
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1)
    await checkRecovered(node, {
      what: `${recoveryName}${target === null ? '' : ` (${target})`}, in ${seconds} s`,
      alerts,
      expectedOutput,
      code,
    })
  } finally {
    await node.kill()
  }
}

async function checkRecovered(
  node: PostgresNode,
  { what, alerts, expectedOutput, code }: { what: string; alerts: number; expectedOutput: RegExp; code: number },
): Promise<void> {
  const rows = await node.query('select summary from alerts order by log_index')
  const foundSummaries = rows.map(({ summary }) => String(summary))
  const expectedSummaries = Array.from({ length: alerts }, (_, index) => `Alert ${index + 1}`)
  const cliTestBed = createCliTestBed({ ...productionEnv(node.url(), chain), ANCHOR_CONTRACT: anchor.contract })
  const checkResult = await cliTestBed.run('log check').finally(cliTestBed.remove)
  console.log(
    `Recovered to ${what}: ${foundSummaries.length} alerts\n  $ tocsin log check  (exit code ${checkResult.code})`,
  )
  for (const line of `${checkResult.out}${checkResult.err}`.trim().split('\n')) console.log(`  ${line}`)
  const problems = [
    foundSummaries.join() === expectedSummaries.join()
      ? []
      : [`has ${foundSummaries.join(', ')} instead of ${expectedSummaries.length} alerts`],
    checkResult.code === code && expectedOutput.test(checkResult.out + checkResult.err)
      ? []
      : [`log check should have exit code ${code} and say ${expectedOutput}`],
  ].flat()
  for (const problem of problems) console.log(`  PROBLEM: ${problem}`)
  failures += problems.length
}
