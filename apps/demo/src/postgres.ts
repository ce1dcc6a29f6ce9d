import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import pg from 'pg'
import { type RunAs, type RunningChild, readLogTail, startChild, stopLeftover } from './child-process.ts'
import { findPostgresBinaries } from './postgres-binaries.ts'
import {
  chooseUser,
  clusterUser,
  createCluster,
  getClusterArgument,
  readPassword,
  removeForeignLock,
} from './postgres-cluster.ts'
import { type Supervised, supervise } from './supervise.ts'

export type Postgres = Supervised & {
  /**
   * postgresql:// URL with the password. Does not change when the database restarts after a crash.
   */
  url: string
}

type Server = { dir: string; command: string; runAs: RunAs | undefined; port: number; url: string }

const DATABASE = 'tocsin'
const READY_TIMEOUT_MS = 120_000
const PROGRESS_EVERY_MS = 5_000
const LINGER_TIMEOUT_MS = 15_000
// Matches errors that occur while the child processes of a killed postmaster are still ending.
const LINGERING_PATTERN = /pre-existing shared memory block|lock file "postmaster\.pid" already exists/

// Settings for one machine without an operator. They keep PostgreSQL's default durability (fsync
// and synchronous_commit on).
const SETTINGS = [
  ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=60', 'shared_buffers=32MB'],
  ...['io_method=sync', 'max_wal_size=256MB', 'timezone=UTC', 'log_timezone=UTC', 'log_checkpoints=off'],
].flatMap((setting) => ['-c', setting])

/**
 * Runs a private PostgreSQL with its data in `dir`, on a free port of the loopback interface, with
 * a random password stored in `dir`. It ends with this process, even if this process is killed, and
 * restarts after a crash. Callers must hold the data lock: only one process may use a `dir` at a
 * time.
 */
export async function startPostgres(options: {
  dir: string
  onProgress?: (message: string) => void
}): Promise<Postgres> {
  const onProgress = options.onProgress ?? (() => {})
  const dir = resolve(options.dir)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  await stopLeftover(join(dir, 'initdb.pid'), 'SIGTERM')
  const cluster = join(dir, 'cluster')
  assertReachable(dir, cluster)
  const runAs = chooseUser(cluster)
  const { initdb, postgres } = findPostgresBinaries({ privateDir: join(dir, 'programs'), runAs, onProgress })
  await createCluster({ dir, initdb, runAs })

  const port = await findFreePort()
  const server: Server = { dir, command: postgres, runAs, port, url: formatDatabaseUrl(dir, port, 'postgres') }
  const supervised = await supervise('The database', () => startServer(server, onProgress), onProgress, {
    isAnswering: async () => (await probeConnection(server.url)) !== 'silent',
  })
  try {
    await createDatabase(server.url)
  } catch (error) {
    await supervised.stop()
    throw error
  }
  return { ...supervised, url: formatDatabaseUrl(dir, port) }
}

/**
 * Returns the URL of the running database in `folder`.
 * @throws Error for the operator if the demo has not started its database yet
 */
export function findRunningPostgres(folder: string): string {
  const dir = resolve(folder)
  const lock = join(dir, 'cluster/postmaster.pid')
  if (!existsSync(lock)) throw new Error('The demo is still starting: its database does not run yet. Try again soon.')
  const [, , , port] = readFileSync(lock, 'utf8').split('\n')
  return formatDatabaseUrl(dir, Number(port))
}

function formatDatabaseUrl(dir: string, port: number, database = DATABASE): string {
  return `postgresql://${clusterUser}:${readPassword(dir)}@127.0.0.1:${port}/${database}`
}

function assertReachable(dir: string, cluster: string): void {
  try {
    statSync(cluster, { throwIfNoEntry: false })
  } catch {
    throw new Error(`${dir} belongs to another user. Run Tocsin as that user, or set DATA_DIR to another folder.`)
  }
}

async function startServer(server: Server, onProgress: (message: string) => void): Promise<RunningChild> {
  const logFile = join(server.dir, 'postgres.log')
  const cluster = join(server.dir, 'cluster')
  const lingerUntil = performance.now() + LINGER_TIMEOUT_MS
  while (true) {
    await stopLeftover(join(server.dir, 'postgres.pid'), 'SIGINT')
    removeForeignLock(cluster)
    const child = await startChild({
      command: server.command,
      args: ['-D', getClusterArgument(cluster, server.runAs), '-p', String(server.port), ...SETTINGS],
      cwd: cluster,
      runAs: server.runAs,
      stopSignal: 'SIGINT',
      pidFile: join(server.dir, 'postgres.pid'),
      logFile,
    })
    const failure = await waitUntilReady(server.url, child, onProgress)
    if (failure === undefined) return child
    await child.stop()
    const logTail = readLogTail(logFile, child.logStart)
    if (!LINGERING_PATTERN.test(logTail) || performance.now() > lingerUntil) {
      throw new Error(`The private database does not start (${failure}). End of its log ${logFile}:\n${logTail}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/**
 * Resolves to undefined when the server answers a query, or to the reason why it failed to start.
 */
async function waitUntilReady(
  url: string,
  child: RunningChild,
  onProgress: (message: string) => void,
): Promise<string | undefined> {
  let exitReason: string | undefined
  void child.exited.then((how) => {
    exitReason = how
  })
  const startedAt = performance.now()
  let announceAt = startedAt + PROGRESS_EVERY_MS
  while (exitReason === undefined) {
    const now = performance.now()
    if (now - startedAt > READY_TIMEOUT_MS) return `no response within ${READY_TIMEOUT_MS / 1000} s`
    if (now > announceAt) {
      onProgress(
        `The database is still starting, possibly in crash recovery (${Math.round((now - startedAt) / 1000)} s)`,
      )
      announceAt += PROGRESS_EVERY_MS
    }
    if ((await probeConnection(url)) === 'ready') return undefined
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return exitReason
}

/**
 * Connects to the database. Returns `refused` if the server answers with an error, for example
 * during crash recovery.
 */
async function probeConnection(connectionString: string): Promise<'ready' | 'refused' | 'silent'> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000, query_timeout: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return 'ready'
  } catch (error) {
    return error instanceof pg.DatabaseError ? 'refused' : 'silent'
  } finally {
    // The end is not awaited, because a server that hangs does not close the connection.
    void client.end().catch(() => {})
  }
}

async function createDatabase(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`create database ${DATABASE}`)
  } finally {
    await client.end()
  }
}
