import { lookup } from 'node:dns/promises'
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { connect } from 'node:tls'
import { sql } from 'drizzle-orm'
import type pg from 'pg'
import type { Config } from '../config.ts'
import { bulkLimits } from '../db/connection.ts'
import { openDatabase } from '../db/database.ts'
import { listEarlierAccess } from '../features/accounts/earlier-access.ts'
import { formatError } from '../format-error.ts'
import { checkSecrets } from './check-secrets.ts'
import { type Command, exitCodes } from './command.ts'
import { listChecks, queryDatabase } from './config-check.ts'
import {
  checkCertificate,
  checkClock,
  checkDeadRows,
  checkDisk,
  checkEarlierAccess,
  checkedSettings,
  checkLeftovers,
  checkNodeVersion,
  checkSettings,
  type DoctorFinding,
  ok,
  problem,
  warning,
} from './doctor-checks.ts'
import { withInstallation } from './installation.ts'
import { listOrphanedDatabases } from './scratch-database.ts'

const WARNINGS_ONLY = 3
const TIMEOUT_MS = 5_000

export const doctor: Command = {
  name: 'doctor',
  summary:
    'Examines configuration, clock, disk, certificate, DNS, database settings, chain nodes and mail, and gives advice.',
  usage: ['', `Exit codes: 0 all well, ${WARNINGS_ONLY} warnings only, 1 problems.`],
  options: {},
  files: 0,
  run(_input, cli) {
    return withInstallation(cli, async ({ settings, config }) => {
      const findingLists = await Promise.all([
        ...settings.warnings.map(async (text) => [
          { subject: 'configuration', ...warning(text, 'Correct the setting, see docs/operating.md.') },
        ]),
        runCheck('Node.js', async () => [checkNodeVersion(process.versions.node, new Date())]),
        runCheck('clock', () => readClock(config)),
        runCheck('disk', () => readDisk(settings.dataDir)),
        ...(config.http.publicUrl.startsWith('https:')
          ? [runCheck('certificate', () => readCertificate(new URL(config.http.publicUrl)))]
          : []),
        ...listHosts(config).map((host) => runCheck(`DNS of ${host}`, () => resolve(host))),
        runCheck('database settings', () => readDatabaseSettings(config)),
        runCheck('scratch databases', () => readLeftovers(config)),
        runCheck('stored secrets', () =>
          queryDatabase(config.databaseUrl, (client) => checkSecrets(client, config, cli.program)),
        ),
        runCheck('staff', () => readEarlierAccess(config, cli.program)),
        ...listChecks(config).map(({ subject, check, remedy }) =>
          runCheck(subject, async () => [ok(await check())], remedy),
        ),
      ])
      const findings = findingLists.flat()
      for (const { level, subject, text, remedy } of findings) {
        cli.out(`${level === 'problem' ? 'PROBLEM' : level.padEnd(7)}  ${subject}: ${text}`)
        if (remedy) cli.out(`         -> ${remedy}`)
      }
      const count = (level: DoctorFinding['level']) => findings.filter((finding) => finding.level === level).length
      const [problems, warnings] = [count('problem'), count('warning')]
      cli.out(problems + warnings === 0 ? 'No problems found.' : `Problems: ${problems}, warnings: ${warnings}.`)
      if (problems > 0) return exitCodes.failed
      return warnings > 0 ? WARNINGS_ONLY : exitCodes.done
    })
  },
}

/** Runs a check. If it throws, the error becomes a problem with the given remedy. */
async function runCheck(
  subject: string,
  find: () => Promise<DoctorFinding[]>,
  remedy = 'Correct this and run doctor again.',
) {
  const findings = await find().catch((error: unknown) => [problem(formatError(error), remedy)])
  return findings.map((finding) => ({ subject, ...finding }))
}

async function readClock(config: Config): Promise<DoctorFinding[]> {
  return queryDatabase(config.databaseUrl, async (client) => {
    const beforeMs = Date.now()
    const { rows } = await client.query<{ ms: string }>('select extract(epoch from clock_timestamp()) * 1000 as ms')
    const machineTimeMs = (beforeMs + Date.now()) / 2
    return [checkClock(machineTimeMs - Number(rows[0]?.ms))]
  })
}

/**
 * Examines the file system of the data folder, or of its parent if the folder does not exist yet.
 */
async function readDisk(dataDir: string): Promise<DoctorFinding[]> {
  const folder = existsSync(dataDir) ? dataDir : dirname(dataDir)
  const { bavail, blocks } = await statfs(folder)
  return [checkDisk(bavail / blocks, folder)]
}

function readCertificate({ hostname, port }: URL): Promise<DoctorFinding[]> {
  return new Promise((resolve, reject) => {
    const options = { host: hostname, port: Number(port || 443), servername: hostname, rejectUnauthorized: false }
    const socket = connect({ ...options, timeout: TIMEOUT_MS }, () => {
      const { valid_to: validTo } = socket.getPeerCertificate()
      const { authorizationError } = socket
      const reason = authorizationError === null ? null : String(authorizationError)
      resolve([checkCertificate(new Date(validTo), socket.authorized ? null : reason, new Date())])
      socket.destroy()
    })
    socket.on('timeout', () => socket.destroy(new Error(`${hostname} does not respond within ${TIMEOUT_MS / 1_000} s`)))
    socket.on('error', reject)
  })
}

/**
 * Returns the hosts that the installation depends on, each once, without those given as IP
 * addresses.
 */
function listHosts({ http, databaseUrl, payment, otherPaymentChains, anchor, mail, feed }: Config): string[] {
  const chainUrls = [payment, ...otherPaymentChains].flatMap(({ rpcUrls }) => rpcUrls)
  const urls = [http.publicUrl, databaseUrl, ...chainUrls, anchor.rpcUrl, mail.smtpUrl, feed.endpoint]
  const hosts = urls.flatMap((url) => (url ? [new URL(url).hostname] : []))
  return [...new Set(hosts)].filter((host) => /[a-z]/i.test(host) && !/[:%]/.test(host))
}

async function resolve(host: string): Promise<DoctorFinding[]> {
  const addresses = await lookup(host, { all: true }).catch(() => [])
  if (addresses.length > 0) return [ok(addresses.map(({ address }) => address).join(', '))]
  return [problem('the name does not resolve', 'Correct the name in the settings, the DNS record or the resolver.')]
}

async function readDatabaseSettings(config: Config): Promise<DoctorFinding[]> {
  return queryDatabase(config.databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string; setting: string }>(
      'select name, setting from pg_settings where name = any($1)',
      [checkedSettings],
    )
    const tables = await client.query<{ name: string; live: string; dead: string }>(
      'select relname as name, n_live_tup as live, n_dead_tup as dead from pg_stat_user_tables',
    )
    const findings = [
      ...checkSettings(new Map(rows.map(({ name, setting }) => [name, setting])), await countInstances(client)),
      ...checkDeadRows(tables.rows.map(({ name, live, dead }) => ({ name, live: Number(live), dead: Number(dead) }))),
    ]
    return findings.length > 0 ? findings : [ok('suit the server')]
  })
}

/**
 * Counts the instances that have reported within a minute. Returns 0 before the first migration.
 */
async function countInstances(client: pg.Client): Promise<number> {
  const { rows: tables } = await client.query<{ isThere: boolean }>(
    `select to_regclass('public.instances') is not null as "isThere"`,
  )
  if (!tables[0]?.isThere) return 0
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from instances where seen_at > clock_timestamp() - interval '1 minute'`,
  )
  return rows[0]?.count ?? 0
}

async function readLeftovers(config: Config): Promise<DoctorFinding[]> {
  return queryDatabase(config.databaseUrl, async (client) => [checkLeftovers(await listOrphanedDatabases(client))])
}

async function readEarlierAccess(config: Config, program: string): Promise<DoctorFinding[]> {
  const { db, close } = openDatabase(config.databaseUrl, () => {}, { limits: bulkLimits, max: 1 })
  try {
    // The tables do not exist before the first migration.
    const { rows } = await db.execute<{ isThere: boolean }>(
      sql`select to_regclass('public.api_keys') is not null as "isThere"`,
    )
    return checkEarlierAccess(rows[0]?.isThere ? await listEarlierAccess(db) : [], program)
  } finally {
    await close()
  }
}
