import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateDatabase, openDatabase } from '@tocsin/server/db/database.ts'
import { openReadReplica, type ReadReplica } from '@tocsin/server/db/read-replica.ts'
import { createLogger } from '@tocsin/server/logger.ts'
import { testConfig } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyCluster } from './cluster.ts'
import { createPostgresNode, DATABASE, type PostgresNode } from './postgres-node.ts'

let dir: string
let primary: PostgresNode
let standby: PostgresNode
let database: ReturnType<typeof openDatabase>
let replica: ReadReplica
let runCheck = () => {}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tocsin-replica-'))
  // Make the folder readable: if this test runs as root, PostgreSQL runs as another user.
  chmodSync(dir, 0o755)
  ;[primary, standby] = await Promise.all([createPostgresNode(join(dir, 'a')), createPostgresNode(join(dir, 'b'))])
  await primary.create()
  primary.start()
  await primary.waitUntilReady()
  await primary.query(`create database ${DATABASE}`, 'postgres')
  await migrateDatabase(primary.url())
  await copyCluster(primary, standby)
  database = openDatabase(primary.url(), () => {})
  replica = await openReadReplica(standby.url(), database.db, {
    timeoutSeconds: 8,
    // The replica is checked only when the test calls `runCheck`.
    scheduler: {
      after: () => () => {},
      every(_intervalMs, run) {
        runCheck = run
        return () => {}
      },
    },
    maxLagSeconds: 2,
    logger: createLogger(testConfig({ logLevel: 'silent' })),
  })
})
afterAll(async () => {
  await replica?.close()
  await database?.close()
  await Promise.all([primary?.kill(), standby?.kill()])
  rmSync(dir, { recursive: true, force: true })
})

const portOfRead = () =>
  replica.read(async (db) => {
    const { rows } = await db.execute<{ port: number }>(sql`select inet_server_port() as port`)
    return rows[0]?.port
  })

/** Commits a transaction, as every instance does every few seconds, and then checks the replica. */
const beatAndCheck = async () => {
  await primary.query('create table if not exists beats (at timestamptz); insert into beats values (now())')
  runCheck()
}

test('reads use the database while the replica does not respond', async () => {
  expect(await portOfRead()).toBe(primary.port)
  expect([replica.problem(), replica.lagSeconds()]).toEqual(['the replica does not respond', null])
})

test('reads use the replica as soon as it follows the primary, and cannot write to it', async () => {
  standby.start()
  await standby.waitUntilReady()
  await eventually(async () => {
    await beatAndCheck()
    expect(await portOfRead()).toBe(standby.port)
    const isClose = (replica.lagSeconds() ?? Number.POSITIVE_INFINITY) < 2
    expect([replica.problem(), isClose]).toEqual([null, true])
  })
  const write = (node: string) =>
    replica.read((db) => db.execute(sql`insert into beats values (now()) returning ${node}`))
  // The replica rejects the statement, so it runs on the primary database.
  await write('any')
  expect(await portOfRead()).toBe(primary.port)
})

test('a read that the replica cuts off is repeated on the database', async () => {
  await eventually(async () => {
    await beatAndCheck()
    expect(await portOfRead()).toBe(standby.port)
  })
  await standby.kill()
  expect(await portOfRead()).toBe(primary.port)
  standby.start()
  await standby.waitUntilReady()
})

test('a replica that lags behind is not used until it has caught up', async () => {
  await standby.query('select pg_wal_replay_pause()')
  await eventually(async () => {
    runCheck()
    expect(await portOfRead()).toBe(primary.port)
    expect(replica.problem()).toBe('the replica does not follow the database')
  })
  expect(replica.lagSeconds()).toBeGreaterThan(2)
  await standby.query('select pg_wal_replay_resume()')
  await eventually(async () => {
    await beatAndCheck()
    expect(await portOfRead()).toBe(standby.port)
  })
})

test('errors of a statement are not hidden by a retry, and a promoted replica is not used', async () => {
  await expect(replica.read((db) => db.execute(sql`select 1 / 0`))).rejects.toThrow()
  expect(await portOfRead()).toBe(standby.port)
  await standby.query('select pg_promote()')
  await eventually(async () => {
    runCheck()
    expect(await portOfRead()).toBe(primary.port)
    expect(replica.problem()).toContain('is not a replica, or was promoted')
  })
})
