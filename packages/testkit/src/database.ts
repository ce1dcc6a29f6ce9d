import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { migrateDatabase } from '@tocsin/server/db/database.ts'
import { findFreePort } from '@tocsin/server/embedded/free-port.ts'
import { findPostgresBinaries } from '@tocsin/server/embedded/postgres-binaries.ts'
import pg from 'pg'
import { ownProcess, waitForOutput } from './child-process.ts'

export interface TestDatabase {
  /** The server's maintenance database, empty. */
  url: string
  /** A fresh migrated database; its connection URL. */
  createDatabase(): Promise<string>
  /** Runs one statement on such a database: what time alone would do, for a running product whose clock nobody can turn. */
  execute(url: string, statement: string): Promise<void>
  /** Runs one statement on such a database, in a transaction that stays open: whoever needs what it has locked waits. */
  hold(url: string, statement: string): Promise<HeldTransaction>
  stop(): Promise<void>
}

interface HeldTransaction {
  /** How many wait for a lock in this database: for this transaction, or for somebody who does. */
  countWaiting(): Promise<number>
  release(): Promise<void>
}

/** PostgreSQL refuses to run as root: as root it runs as nobody. */
const NOBODY = 65_534
const run = promisify(execFile)
const TEMPLATE = 'template_tocsin'
/** Where `prepareTestDatabase` has left its files. */
const PREPARED_DIR = 'TOCSIN_TEST_DATABASE_DIR'

/**
 * A PostgreSQL server of its own in a temporary folder, with a migrated template. Nothing is synced to disk: it is gone after `stop`. Where
 * `prepareTestDatabase` has run, the files that it made are copied.
 */
export async function startTestDatabase(): Promise<TestDatabase> {
  const prepared = process.env[PREPARED_DIR]
  const server = await startPostgres(prepared)
  if (!prepared) await makeTemplate(server)
  const { urlOf, end, folder } = server
  return {
    url: urlOf('postgres'),
    async createDatabase() {
      const name = `test_${randomUUID().replaceAll('-', '')}`
      await query(urlOf('postgres'), `create database ${name} template ${TEMPLATE}`)
      return urlOf(name)
    },
    execute: query,
    hold,
    async stop() {
      await end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Makes the files of an empty server with its migrated template once, for all that this process and its children start: that takes longer than most
 * tests. Answers what removes them.
 */
export async function prepareTestDatabase(): Promise<() => Promise<void>> {
  const server = await startPostgres()
  await makeTemplate(server)
  await server.end()
  process.env[PREPARED_DIR] = server.dataDir
  return () => rm(server.folder, { recursive: true, force: true })
}

interface Postgres {
  folder: string
  dataDir: string
  urlOf(database: string): string
  end(): Promise<void>
}

async function startPostgres(preparedDir?: string): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-postgres-'))
  const runAs = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined
  if (runAs) await chown(folder, NOBODY, NOBODY)
  const programs = findPostgresBinaries({ privateDir: folder, runAs, onProgress: () => {} })
  const dataDir = join(folder, 'data')
  const options = { ...runAs, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } }
  if (preparedDir) await run('cp', ['-R', preparedDir, dataDir], options)
  else await run(programs.initdb, ['-D', dataDir, '-U', 'tocsin', '-A', 'trust', '-E', 'UTF8', '--no-sync'], options)
  const port = await findFreePort()
  const settings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200']
  const child = spawn(
    programs.postgres,
    ['-D', dataDir, '-h', '127.0.0.1', '-p', `${port}`, '-k', '', ...settings.flatMap((setting) => ['-c', setting])],
    { ...options, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  // SIGINT is PostgreSQL's fast shutdown: it does not wait for clients.
  const end = ownProcess(child, 'SIGINT')
  await waitForOutput(child, /ready to accept connections/)
  return { folder, dataDir, urlOf: (name) => `postgres://tocsin@127.0.0.1:${port}/${name}`, end }
}

async function makeTemplate({ urlOf }: Postgres): Promise<void> {
  await query(urlOf('postgres'), `create database ${TEMPLATE}`)
  await migrateDatabase(urlOf(TEMPLATE))
}

async function query(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

async function hold(url: string, statement: string): Promise<HeldTransaction> {
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
