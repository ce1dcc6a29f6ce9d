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
import { cpus, loadavg, tmpdir } from 'node:os'
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
const BEFORE_BACKUP = 3
const ANCHORED = 6
const TARGET = 9
const ALL = 12
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
const primary = await createPostgresNode(join(dir, 'primary'))
try {
  await startArchiving()
  const times = await useProduct()
  await archiveAll()
  await primary.kill()
  const segments = readdirSync(archive).filter((name) => /^[0-9A-F]{24}$/.test(name)).length
  console.log(`Base backup after ${BEFORE_BACKUP} alerts, then ${segments} archived segments of 16 MiB.\n`)
  const [target = '', beforeAnchor = ''] = times
  await recover('a moment between two alerts', target, TARGET, /^The log is complete and matches its anchors/m)
  await recover('the end of the archive', null, ALL, /^The log is complete and matches its anchors/m)
  await recover('a moment before the newest anchor', beforeAnchor, ANCHORED - 1, /older than|anchor/m, 1)
  console.log(
    `\n${new Date().toISOString().slice(0, 10)}, ${cpus().length} x ${cpus()[0]?.model.trim()}, load average ${loadavg()[0]?.toFixed(1)}`,
  )
  console.log(failures === 0 ? 'All recoveries have the alerts that they should have.' : `${failures} problems.`)
} finally {
  await primary.kill()
  await proxy.close()
  await chain.stop()
  rmSync(dir, { recursive: true, force: true })
}
process.exit(failures === 0 ? 0 : 1)

/** Starts PostgreSQL with the archive settings of docs/operating.md. */
async function startArchiving(): Promise<void> {
  await primary.create()
  mkdirSync(archive)
  const { uid, gid } = statSync(primary.cluster)
  chownSync(archive, uid, gid)
  const [file, part] = [`${archive}/%f`, `${archive}/%f.tmp`]
  const command = `if test -f ${file}; then cmp -s %p ${file}; else cp %p ${part} && sync ${part} && mv ${part} ${file}; fi`
  const settings = ['wal_level = replica', 'archive_mode = on', `archive_command = '${command}'`]
  appendFileSync(join(primary.cluster, 'postgresql.auto.conf'), `${settings.join('\n')}\n`)
  primary.start()
  await primary.waitUntilReady()
  await primary.query(`create database ${DATABASE}`, 'postgres')
}

/**
 * @returns times of the database: between the alerts TARGET and TARGET + 1, and before alert
 *   ANCHORED
 */
async function useProduct(): Promise<[string, string]> {
  const port = await findFreePort()
  const { payment } = chain.settings
  const http = { port, host: 'localhost', publicUrl: `http://localhost:${port}` }
  const server = await createServer(
    testConfig({
      databaseUrl: primary.url(),
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
    for (let number = 1; number <= ALL; number += 1) {
      if (number === ANCHORED) beforeAnchor = await readTime()
      await issue(admin, number)
      if (number === BEFORE_BACKUP) await takeBaseBackup(primary, base)
      if (number === ANCHORED) {
        await untilAnchored()
        proxy.cut()
      }
      if (number === TARGET) target = await readTime()
    }
    return [target, beforeAnchor]
  } finally {
    await server.close()
  }
}

async function issue(admin: TestClient, number: number): Promise<void> {
  const content = { asset: `A${number}/USDT`, anomalyType: 'Spike', confidence: 90, regime: 'trend' } as const
  await admin.call('createAlert', { body: { ...content, summary: `Alert ${number}`, priority: 'high' } })
}

/** Returns the current time of the database, used as a recovery target between two transactions. */
async function readTime(): Promise<string> {
  const [row] = await primary.query("select to_char(clock_timestamp(), 'YYYY-MM-DD HH24:MI:SS.US') || '+00' as at")
  return String(row?.at)
}

async function untilAnchored(): Promise<void> {
  const isAnchored =
    'select 1 from log_head h join anchors a on a.size = h.size where h.size = (select count(*) from log_entries)'
  while ((await primary.query(isAnchored)).length === 0) await delay(POLL_MS)
}

/**
 * Waits until the segment with the last transaction is in the archive. Then makes PostgreSQL
 * archive it a second time, as after a crash between the archive command and the record that the
 * command succeeded.
 */
async function archiveAll(): Promise<void> {
  const name = await switchSegment()
  while (!readdirSync(archive).includes(name)) await delay(POLL_MS)
  const note = join(primary.cluster, 'pg_wal/archive_status', name)
  while (!existsSync(`${note}.done`)) await delay(POLL_MS)
  renameSync(`${note}.done`, `${note}.ready`)
  // A further segment wakes the archiver.
  await primary.query("select pg_create_restore_point('again')", 'postgres')
  await switchSegment()
  while (existsSync(`${note}.ready`)) await delay(POLL_MS)
}

/** Ends the current segment. Returns its name. */
async function switchSegment(): Promise<string> {
  const [row] = await primary.query('select pg_walfile_name(pg_switch_wal()) as name', 'postgres')
  return String(row?.name)
}

async function recover(what: string, target: string | null, alerts: number, says: RegExp, code = 0): Promise<void> {
  const startedMs = performance.now()
  const node = await createPostgresNode(join(dir, 'recovered'))
  try {
    rmSync(node.cluster, { recursive: true, force: true })
    copyFiles(base, node.cluster)
    const settings = [
      `restore_command = 'cp ${archive}/%f %p'`,
      ...(target === null ? [] : [`recovery_target_time = '${target}'`, `recovery_target_action = 'promote'`]),
      // Otherwise the recovered database would write into the archive of the lost one.
      'archive_mode = off',
    ]
    writeOwned(node.cluster, 'postgresql.auto.conf', `${settings.join('\n')}\n`)
    writeOwned(node.cluster, 'recovery.signal', '')
    node.start()
    await node.waitUntilReady()
    while ((await node.query('select 1 where pg_is_in_recovery()', 'postgres')).length > 0) await delay(POLL_MS)
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1)
    await evaluate(node, {
      what: `${what}${target === null ? '' : ` (${target})`}, in ${seconds} s`,
      alerts,
      says,
      code,
    })
  } finally {
    await node.kill()
  }
}

async function evaluate(
  node: PostgresNode,
  { what, alerts, says, code }: { what: string; alerts: number; says: RegExp; code: number },
): Promise<void> {
  const rows = await node.query('select summary from alerts order by log_index')
  const found = rows.map(({ summary }) => String(summary))
  const wanted = Array.from({ length: alerts }, (_, index) => `Alert ${index + 1}`)
  const bed = createCliTestBed({ ...productionEnv(node.url(), chain), ANCHOR_CONTRACT: anchor.contract })
  const check = await bed.run('log check').finally(bed.remove)
  console.log(`Recovered to ${what}: ${found.length} alerts\n  $ tocsin log check  (exit code ${check.code})`)
  for (const line of `${check.out}${check.err}`.trim().split('\n')) console.log(`  ${line}`)
  const problems = [
    found.join() === wanted.join() ? [] : [`has ${found.join(', ')} instead of ${wanted.length} alerts`],
    check.code === code && says.test(check.out + check.err)
      ? []
      : [`log check should have exit code ${code} and say ${says}`],
  ].flat()
  for (const problem of problems) console.log(`  PROBLEM: ${problem}`)
  failures += problems.length
}
