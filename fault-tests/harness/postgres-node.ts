import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chownSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findPostgresBinaries } from '@tocsin/demo/postgres-binaries.ts'
import { openClient } from '@tocsin/server/db/connection.ts'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { killProcesses, readTree } from '../crash/process-tree.ts'

const runProgram = promisify(execFile)
const UNPRIVILEGED = 65_534
const RESTART_MS = 500
const READY_POLL_MS = 50
export const DATABASE = 'tocsin'
/**
 * Limits of connections of the harness: connecting fails quickly, but statements of the set-up and
 * of the checks may take long.
 */
const limits = { connectMs: 2_000, statementMs: 60_000, lockMs: 30_000, idleInTransactionMs: 0, silenceMs: 0 }

// Durability as in production: fsync and synchronous_commit stay on.
const settings = [
  ...['max_connections=100', 'shared_buffers=64MB', 'max_wal_size=128MB', 'wal_keep_size=128MB', 'log_checkpoints=off'],
  // Log slow statements and long waits for locks.
  ...['log_min_duration_statement=1000', 'log_lock_waits=on'],
  ...['wal_retrieve_retry_interval=200ms', 'timezone=UTC', 'log_timezone=UTC'],
].flatMap((setting) => ['-c', setting])

/** A PostgreSQL server that is restarted when it ends, as a service manager does. */
export interface PostgresNode {
  port: number
  dataDir: string
  url(database?: string): string
  /**
   * Runs `initdb` for a new node. The folder `cluster` of a replica is filled by a copy instead.
   */
  create(): Promise<void>
  start(): void
  waitUntilReady(): Promise<void>
  query(statement: string, database?: string): Promise<Record<string, unknown>[]>
  /** Kills the postmaster by SIGKILL. It is not restarted until `start` is called. */
  kill(): Promise<void>
  freeze(): void
  thaw(): void
  /**
   * Sends SIGINT (fast shutdown), as service managers do. The server is not restarted until
   * `start`.
   */
  stop(): Promise<void>
}

export async function createPostgresNode(dir: string): Promise<PostgresNode> {
  mkdirSync(dir, { recursive: true })
  const unprivilegedIds = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : undefined
  if (unprivilegedIds) chownSync(dir, UNPRIVILEGED, UNPRIVILEGED)
  const programs = findPostgresBinaries({
    privateDir: join(dir, 'programs'),
    runAs: unprivilegedIds,
    onProgress: () => {},
  })
  const port = await findFreePort()
  const cluster = join(dir, 'cluster')
  const options = { ...unprivilegedIds, cwd: dir, env: { PATH: process.env.PATH, LC_ALL: 'C' } }
  const log = openSync(`${dir}.log`, 'a')
  let child: ChildProcess | null = null
  let shouldRun = false
  let frozenPids: number[] = []

  const url = (database = DATABASE) => `postgres://tocsin@127.0.0.1:${port}/${database}`
  const launchServer = () => {
    const next = spawn(programs.postgres, ['-D', cluster, '-h', '127.0.0.1', '-p', `${port}`, '-k', '', ...settings], {
      ...options,
      stdio: ['ignore', log, log],
    })
    child = next
    next.once('exit', () => {
      if (child === next) child = null
      // Restart the server repeatedly if it crashes again, for example while the disk is full.
      if (shouldRun) setTimeout(() => shouldRun && child === null && launchServer(), RESTART_MS)
    })
  }
  const query: PostgresNode['query'] = async (statement, database) => {
    const client = await openClient(url(database), limits)
    try {
      const { rows } = await client.query<Record<string, unknown>>(statement)
      return rows
    } finally {
      await client.end()
    }
  }
  const endServer = async (signal: NodeJS.Signals) => {
    shouldRun = false
    const runningChild = child
    if (!runningChild?.pid) return
    const tree = readTree(runningChild.pid)
    const childExit = new Promise((resolve) => runningChild.once('exit', resolve))
    runningChild.kill(signal)
    await childExit
    // Also kill the children: they notice the end of the postmaster by themselves, but not while
    // they are frozen.
    if (signal === 'SIGKILL') killProcesses(tree)
  }
  process.on('exit', () => child?.kill('SIGKILL'))
  return {
    port,
    dataDir: cluster,
    url,
    query,
    async create() {
      rmSync(cluster, { recursive: true, force: true })
      await runProgram(
        programs.initdb,
        ['-D', cluster, '-U', 'tocsin', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
        options,
      )
      writeFileSync(join(cluster, 'pg_hba.conf'), 'host all,replication all 127.0.0.1/32 trust\n')
    },
    start() {
      shouldRun = true
      launchServer()
    },
    async waitUntilReady() {
      while (true) {
        const isReady = await query('select 1', 'postgres').then(
          () => true,
          () => false,
        )
        if (isReady) return
        await delay(READY_POLL_MS)
      }
    },
    kill: () => endServer('SIGKILL'),
    freeze() {
      frozenPids = child?.pid ? readTree(child.pid).map(({ pid }) => pid) : []
      for (const pid of frozenPids) signalIfAlive(pid, 'SIGSTOP')
    },
    thaw() {
      for (const pid of frozenPids.splice(0)) signalIfAlive(pid, 'SIGCONT')
    },
    stop: () => endServer('SIGINT'),
  }
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // A backend has ended in the meantime.
  }
}
