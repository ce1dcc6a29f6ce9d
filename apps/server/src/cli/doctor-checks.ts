import { DAY_MS } from '@tocsin/protocol/durations'
import type { EarlierAccess } from '../features/accounts/earlier-access.ts'
import { MAX_CLOCK_DIFFERENCE_MS } from '../features/tlog/entry-time.ts'

/** The result of `doctor` for one subject. */
export interface DoctorFinding {
  level: 'ok' | 'warning' | 'problem'
  text: string
  /** Advice for the operator. Empty if the level is ok. */
  remedy: string
}

export const ok = (text: string): DoctorFinding => ({ level: 'ok', text, remedy: '' })
export const warning = (text: string, remedy: string): DoctorFinding => ({ level: 'warning', text, remedy })
export const problem = (text: string, remedy: string): DoctorFinding => ({ level: 'problem', text, remedy })

const CLOCK_WARNS_MS = 1_000

/**
 * @param aheadMs how far this machine's clock is ahead of the database's; negative if it is behind
 */
export function checkClock(aheadMs: number): DoctorFinding {
  const seconds = `${(Math.abs(aheadMs) / 1_000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's clock`
  const remedy = 'Run an NTP client on this machine and on that of the database, and check it with timedatectl.'
  if (Math.abs(aheadMs) > MAX_CLOCK_DIFFERENCE_MS)
    return problem(`this machine is ${seconds}, so the server issues no alerts`, remedy)
  if (Math.abs(aheadMs) > CLOCK_WARNS_MS) return warning(`this machine is ${seconds}`, remedy)
  return ok('agrees with the database')
}

/** @param freeDiskShare free part of the file system, from 0 to 1 */
export function checkDisk(freeDiskShare: number, folder: string): DoctorFinding {
  const text = `${Math.floor(freeDiskShare * 100)}% of the file system of ${folder} is free`
  const remedy = 'Delete old logs and backups, or enlarge the file system.'
  if (freeDiskShare < 0.05) return problem(text, remedy)
  return freeDiskShare < 0.2 ? warning(text, remedy) : ok(text)
}

/** @param error the reason why the certificate is rejected, or null */
export function checkCertificate(validTo: Date, error: string | null, now: Date): DoctorFinding {
  if (error !== null) {
    return problem(
      `is not accepted: ${error}`,
      'Install a certificate of a public authority for the host of PUBLIC_URL, with its intermediate certificates.',
    )
  }
  const days = Math.floor((validTo.getTime() - now.getTime()) / DAY_MS)
  const text = `is valid for ${days} more days`
  const remedy = 'Check that the renewal runs (Caddy renews automatically; certbot: systemctl list-timers).'
  if (days < 3) return problem(text, remedy)
  return days < 14 ? warning(text, remedy) : ok(text)
}

/** Maximum number of connections that one instance uses. */
const CONNECTIONS_PER_INSTANCE = 19
/** Connections reserved for commands, monitoring and the administrator. */
const OTHER_CONNECTIONS = 10
const MIN_SHARED_BUFFERS_KB = 128 * 1_024

interface Rule {
  name: string
  isGood(value: string): boolean
  level: 'warning' | 'problem'
  remedy: string
}

/** Number of connections needed. Includes the additional instance that runs during an upgrade. */
const countNeededConnections = (instances: number) => (instances + 1) * CONNECTIONS_PER_INSTANCE + OTHER_CONNECTIONS

/** Rules for the settings of PostgreSQL. Their values have the form of `pg_settings.setting`. */
const listRules = (instances: number): Rule[] => [
  {
    name: 'fsync',
    isGood: (value) => value === 'on',
    level: 'problem',
    remedy: 'Set fsync = on: otherwise a crash of the machine can destroy the log.',
  },
  {
    name: 'full_page_writes',
    isGood: (value) => value === 'on',
    level: 'problem',
    remedy: 'Set full_page_writes = on: otherwise a crash of the machine can destroy the log.',
  },
  {
    name: 'synchronous_commit',
    isGood: (value) => value !== 'off',
    level: 'problem',
    remedy: 'Set synchronous_commit = on: otherwise a crash can lose alerts and payments that were acknowledged.',
  },
  {
    name: 'autovacuum',
    isGood: (value) => value === 'on',
    level: 'problem',
    remedy: 'Set autovacuum = on: otherwise tables grow and queries become slower every day.',
  },
  {
    name: 'server_encoding',
    isGood: (value) => value === 'UTF8',
    level: 'problem',
    remedy: 'Create the database with ENCODING UTF8 and restore a backup into it.',
  },
  {
    name: 'max_connections',
    isGood: (value) => Number(value) >= countNeededConnections(instances),
    level: 'warning',
    remedy: `Set max_connections to at least ${countNeededConnections(instances)}: each of ${instances + 1} instances (one more during an upgrade) uses up to ${CONNECTIONS_PER_INSTANCE}.`,
  },
  {
    // The value is a number of blocks of 8 kB.
    name: 'shared_buffers',
    isGood: (value) => Number(value) * 8 >= MIN_SHARED_BUFFERS_KB,
    level: 'warning',
    remedy: 'Set shared_buffers to at least 128MB, better to a quarter of the memory of the database machine.',
  },
]

export const checkedSettings = listRules(1).map(({ name }) => name)

/**
 * @param values by name of the setting. Settings without a value are skipped
 * @param runningInstanceCount number of instances that are running. 0 is treated like 1
 */
export function checkSettings(values: ReadonlyMap<string, string>, runningInstanceCount: number): DoctorFinding[] {
  return listRules(Math.max(1, runningInstanceCount)).flatMap(({ name, isGood, level, remedy }) => {
    const value = values.get(name)
    return value === undefined || isGood(value) ? [] : [{ level, text: `${name} is ${value}`, remedy }]
  })
}

/** A table with at most this many dead rows is not reported, whatever their share. */
const MIN_DEAD_ROWS = 50_000

export function checkDeadRows(tables: readonly { name: string; live: number; dead: number }[]): DoctorFinding[] {
  return tables
    .filter(({ live, dead }) => dead > MIN_DEAD_ROWS && dead > live / 2)
    .map(({ name, dead }) =>
      warning(
        `the table ${name} has ${dead} dead rows`,
        `Autovacuum does not keep up. Run VACUUM ANALYZE ${name}; and raise autovacuum_max_workers or autovacuum_vacuum_cost_limit.`,
      ),
    )
}

/** @param leftovers scratch databases of backups that were killed while they were verified */
export function checkLeftovers(leftovers: readonly { name: string; bytes: number }[]): DoctorFinding {
  if (leftovers.length === 0) return ok('no interrupted backup left one')
  const megabytes = Math.ceil(leftovers.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000_000)
  return warning(
    `interrupted backups left ${leftovers.map(({ name }) => name).join(', ')} (${megabytes} MB)`,
    `The next backup with --verify removes them, or run: ${leftovers.map(({ name }) => `DROP DATABASE ${name};`).join(' ')}`,
  )
}

export function checkEarlierAccess(earlierAccesses: readonly EarlierAccess[], program: string): DoctorFinding[] {
  if (earlierAccesses.length === 0) return [ok('no sign-in method or other access is older than the promotion')]
  return earlierAccesses.map(({ accountId, email, role, promotedAt, ways }) =>
    warning(
      `${email ?? accountId} (${role}) has access from before the promotion of ${promotedAt.toISOString().slice(0, 10)}: ${ways.join(', ')}`,
      email === null
        ? 'Remove the role in the admin area and assign it again. This ends the earlier access.'
        : `If the person does not know them, an intruder may have added them. ${program} admin reset-factors --email ${email} --end-access ends all, and prints the code with which the person enrols a new second factor.`,
    ),
  )
}

/**
 * Date of the last security fixes for each major version of Node.js (nodejs/Release,
 * schedule.json).
 */
const nodeSupportEnds: Record<string, string> = { 20: '2026-04-30', 22: '2027-04-30', 24: '2028-04-30' }

/** @param version version of the process, as in `process.versions.node` */
export function checkNodeVersion(version: string, now: Date): DoctorFinding {
  const end = nodeSupportEnds[version.split('.')[0] ?? '']
  if (end === undefined || now < new Date(end)) return ok(version)
  return warning(
    `${version} has received no security fixes since ${end}`,
    'Install Node.js 24 (LTS) and restart. The data does not change.',
  )
}
