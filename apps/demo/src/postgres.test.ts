import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Postgres, startPostgres } from './postgres.ts'
import { identifyProcess } from './process-identity.ts'

let root: string
let runningPostgres: Postgres | undefined

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tocsin-postgres-'))
})
afterEach(async () => {
  await runningPostgres?.stop()
  runningPostgres = undefined
  rmSync(root, { recursive: true, force: true })
})

async function startInDir(dir: string): Promise<Postgres> {
  runningPostgres = await startPostgres({ dir })
  return runningPostgres
}

async function runQuery(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

function readPostmasterPid(dir: string): number {
  return Number.parseInt(readFileSync(join(dir, 'cluster/postmaster.pid'), 'utf8'), 10)
}

test('startPostgres: rejects a wrong password and serves a durable UTF-8 database', async () => {
  const { url } = await startInDir(join(root, 'postgres'))
  await expect(runQuery(url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow(
    /password authentication failed/,
  )
  const [settings] = await runQuery(
    url,
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
            current_setting('server_encoding') as encoding, current_setting('listen_addresses') as listens`,
  )
  expect(settings).toEqual({ fsync: 'on', commit: 'on', encoding: 'UTF8', listens: '127.0.0.1' })
})

test('startPostgres: keeps committed rows after a stop, and restarts on the same URL when the postmaster is killed', async () => {
  const dir = join(root, 'postgres')
  const first = await startInDir(dir)
  await runQuery(first.url, 'create table kept (id int)')
  await runQuery(first.url, 'insert into kept values (1)')
  process.kill(readPostmasterPid(dir), 'SIGKILL')
  await expect.poll(() => runQuery(first.url, 'select id from kept').catch(() => 'down')).toEqual([{ id: 1 }])

  await runQuery(first.url, 'insert into kept values (2)')
  await first.stop()
  expect(existsSync(join(dir, 'cluster/postmaster.pid'))).toBe(false)
  const secondPostgres = await startInDir(dir)
  expect(await runQuery(secondPostgres.url, 'select id from kept order by id')).toEqual([{ id: 1 }, { id: 2 }])
})

test('startPostgres: recovers when a killed start left an incomplete initdb or a lock with the id of another process', async () => {
  const dir = join(root, 'postgres')
  mkdirSync(join(dir, 'initdb-killed/cluster/base'), { recursive: true })
  writeFileSync(join(dir, 'initdb-killed/cluster/PG_VERSION'), '18\n')
  await (await startInDir(dir)).stop()
  expect(readdirSync(dir).filter((name) => name.startsWith('initdb-'))).toEqual([])

  writeFileSync(join(dir, 'cluster/postmaster.pid'), `${process.pid}\n${dir}\n`)
  const { url } = await startInDir(dir)
  expect(await runQuery(url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('startPostgres: works when other users have no access to the parent folders', async () => {
  const closedDir = join(root, 'closed')
  mkdirSync(closedDir, { mode: 0o700 })
  chmodSync(closedDir, 0o700)
  const dir = join(closedDir, 'data/postgres')
  await (await startInDir(dir)).stop()
  const { url } = await startInDir(dir)
  expect(await runQuery(url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(identifyProcess(readPostmasterPid(dir))).toBeDefined()
})

test('startPostgres: fails immediately with the end of the log when the database is broken, even if the old log was large', async () => {
  const dir = join(root, 'postgres')
  await (await startInDir(dir)).stop()
  rmSync(join(dir, 'cluster/global/pg_control'))
  // A log of this size is renamed at the next start.
  appendFileSync(join(dir, 'postgres.log'), 'x'.repeat(5 * 1024 * 1024))
  await expect(startInDir(dir)).rejects.toThrow(
    /The private database does not start[\s\S]*postgres\.log[\s\S]*pg_control/,
  )
})
