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
  stop(): Promise<void>
}

/** PostgreSQL refuses to run as root: as root it runs as nobody. */
const NOBODY = 65_534
const run = promisify(execFile)

/** A PostgreSQL server of its own in a temporary folder. Nothing is synced to disk: it is gone after `stop`. */
export async function startTestDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-postgres-'))
  const runAs = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined
  if (runAs) await chown(folder, NOBODY, NOBODY)
  const programs = findPostgresBinaries({ privateDir: folder, runAs, onProgress: () => {} })
  const dataDir = join(folder, 'data')
  const options = { ...runAs, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } }
  await run(programs.initdb, ['-D', dataDir, '-U', 'tocsin', '-A', 'trust', '-E', 'UTF8', '--no-sync'], options)
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

  const urlOf = (name: string) => `postgres://tocsin@127.0.0.1:${port}/${name}`
  await query(urlOf('postgres'), 'create database template_tocsin')
  await migrateDatabase(urlOf('template_tocsin'))
  return {
    url: urlOf('postgres'),
    async createDatabase() {
      const name = `test_${randomUUID().replaceAll('-', '')}`
      await query(urlOf('postgres'), `create database ${name} template template_tocsin`)
      return urlOf(name)
    },
    async stop() {
      await end()
      await rm(folder, { recursive: true, force: true })
    },
  }
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
