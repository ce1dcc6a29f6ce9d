import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chown, mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPostgresBinaries } from '@tocsin/demo/postgres-binaries.ts'
import { migrateDatabase } from '@tocsin/server/db/database.ts'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import pg from 'pg'
import { killOnExit, waitForOutput } from './child-process.ts'

export interface TestDatabase {
  /**
   * Creates a migrated, empty database and returns its connection URL. The URL names a Unix socket,
   * which costs less CPU time than TCP.
   */
  createDatabase(): Promise<string>
  /** Runs one statement. A test can use it to age rows of a server whose clock it cannot change. */
  execute(url: string, statement: string): Promise<void>
  /** Runs one statement in a transaction that stays open and keeps its locks. */
  openTransaction(url: string, statement: string): Promise<HeldTransaction>
  stop(): Promise<void>
}

interface HeldTransaction {
  /** Number of sessions in this database that wait for a lock. */
  countWaiting(): Promise<number>
  release(): Promise<void>
}

/**
 * User id for the PostgreSQL server if tests run as root, which PostgreSQL rejects. The system
 * account of this id has no privileges.
 */
const UNPRIVILEGED_ID = 65_534
const runFile = promisify(execFile)
const TEMPLATE = 'template_tocsin'
/** Environment variable with the URL of the server started by `shareTestDatabase`. */
const SHARED_URL_VARIABLE = 'TOCSIN_TEST_DATABASE_URL'

/**
 * Creates databases on the server that `shareTestDatabase` started. Without one, or with
 * `ownServer` (for tests that stop the server), starts a PostgreSQL server in a temporary folder
 * that `stop` deletes.
 */
export async function startTestDatabase({ ownServer = false } = {}): Promise<TestDatabase> {
  const sharedUrl = ownServer ? undefined : process.env[SHARED_URL_VARIABLE]
  const server = sharedUrl ? { url: sharedUrl } : await startPostgres()
  const createdDatabases: string[] = []
  const executeOnServer = (...statements: string[]) => executeStatements(`${server.url}/postgres`, ...statements)
  return {
    async createDatabase() {
      const name = `test_${randomUUID().replaceAll('-', '')}`
      await executeOnServer(`create database ${name} template ${TEMPLATE} strategy file_copy`)
      createdDatabases.push(name)
      return `${server.url}/${name}`
    },
    execute: executeStatements,
    openTransaction: holdTransaction,
    async stop() {
      if ('discard' in server) await server.discard()
      else await executeOnServer(...createdDatabases.splice(0).map((name) => `drop database ${name} with (force)`))
    },
  }
}

/**
 * Starts one server with a migrated template for this process and its children, because starting a
 * server takes longer than most tests. Returns a function that stops the server.
 */
export async function shareTestDatabase(): Promise<() => Promise<void>> {
  const { url, discard } = await startPostgres()
  process.env[SHARED_URL_VARIABLE] = url
  return discard
}

interface Postgres {
  /** Connection URL without a database name. */
  url: string
  /** Stops the server and deletes its folder. */
  discard(): Promise<void>
}

/**
 * Folder for databases on Linux: a file system in memory. Creating a database there takes a fifth
 * of the CPU time that it takes on a disk.
 */
const MEMORY_FOLDER = '/dev/shm'
/** Minimum free memory in bytes for the folder in memory. Containers often have only 64 MB. */
const MIN_FREE_MEMORY = 2 * 1024 ** 3
const DATA_PREFIX = 'tocsin-postgres-data-'

/**
 * Returns the parent folder for the data of servers. First removes data that killed runs have left
 * in memory.
 */
async function findDataParent(): Promise<string> {
  try {
    for (const name of await readdir(MEMORY_FOLDER)) {
      const pid = name.startsWith(DATA_PREFIX) ? Number.parseInt(name.slice(DATA_PREFIX.length), 10) : Number.NaN
      // Data of another user cannot be removed and stays.
      if (hasExited(pid)) await rm(join(MEMORY_FOLDER, name), { recursive: true, force: true }).catch(() => {})
    }
    const { bavail, bsize } = await statfs(MEMORY_FOLDER)
    return bavail * bsize >= MIN_FREE_MEMORY ? MEMORY_FOLDER : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** True if no process has this id. Processes of other users count as running. */
function hasExited(pid: number): boolean {
  if (Number.isNaN(pid)) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

/** Starts a server with a migrated template. fsync is off for speed. */
async function startPostgres(): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-postgres-'))
  const runAs = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : undefined
  if (runAs) await chown(folder, UNPRIVILEGED_ID, UNPRIVILEGED_ID)
  const programs = findPostgresBinaries({ privateDir: folder, runAs, onProgress: () => {} })
  const dataParent = await mkdtemp(join(await findDataParent(), `${DATA_PREFIX}${process.pid}-`))
  if (runAs) await chown(dataParent, UNPRIVILEGED_ID, UNPRIVILEGED_ID)
  const dataDir = join(dataParent, 'data')
  const options = { ...runAs, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } }
  await runFile(programs.initdb, ['-D', dataDir, '-U', 'tocsin', '-A', 'trust', '-E', 'UTF8', '--no-sync'], options)
  const port = await findFreePort()
  const settings = [
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    'max_connections=200',
    'max_wal_size=256MB',
  ]
  const child = spawn(
    programs.postgres,
    [
      '-D',
      dataDir,
      '-h',
      '127.0.0.1',
      '-p',
      `${port}`,
      '-k',
      folder,
      ...settings.flatMap((setting) => ['-c', setting]),
    ],
    { ...options, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  // SIGINT is PostgreSQL's fast shutdown: it does not wait for clients.
  const stopChild = killOnExit(child, 'SIGINT')
  await waitForOutput(child, /ready to accept connections/)
  const url = `postgres://tocsin@${encodeURIComponent(folder)}:${port}`
  await executeStatements(`${url}/postgres`, `create database ${TEMPLATE}`)
  await migrateDatabase(`${url}/${TEMPLATE}`)
  return {
    url,
    async discard() {
      await stopChild()
      await Promise.all([folder, dataParent].map((path) => rm(path, { recursive: true, force: true })))
    },
  }
}

async function executeStatements(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

async function holdTransaction(url: string, statement: string): Promise<HeldTransaction> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('begin')
  await client.query(statement)
  return {
    async countWaiting() {
      const { rows } = await client.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows[0]?.waiting ?? 0
    },
    release: () => client.end(),
  }
}
