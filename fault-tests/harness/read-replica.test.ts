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
let primaryNode: PostgresNode
let standbyNode: PostgresNode
let database: ReturnType<typeof openDatabase>
let replica: ReadReplica
let runCheck = () => {}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tocsin-replica-'))
  // Make the folder readable: if this test runs as root, PostgreSQL runs as another user.
  chmodSync(dir, 0o755)
  ;[primaryNode, standbyNode] = await Promise.all([
    createPostgresNode(join(dir, 'a')),
    createPostgresNode(join(dir, 'b')),
  ])
  await primaryNode.create()
  primaryNode.start()
  await primaryNode.waitUntilReady()
  await primaryNode.query(`create database ${DATABASE}`, 'postgres')
  await migrateDatabase(primaryNode.url())
  await copyCluster(primaryNode, standbyNode)
  database = openDatabase(primaryNode.url(), () => {})
  replica = await openReadReplica(standbyNode.url(), database.db, {
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
  await Promise.all([primaryNode?.kill(), standbyNode?.kill()])
  rmSync(dir, { recursive: true, force: true })
})

const readServerPort = () =>
  replica.read(async (db) => {
    const { rows } = await db.execute<{ port: number }>(sql`select inet_server_port() as port`)
    return rows[0]?.port
  })

/** Commits a transaction, as every instance does every few seconds, and then checks the replica. */
const commitAndCheck = async () => {
  await primaryNode.query('create table if not exists beats (at timestamptz); insert into beats values (now())')
  runCheck()
}

test('reads use the primary while the replica does not respond', async () => {
  expect(await readServerPort()).toBe(primaryNode.port)
  expect([replica.problem(), replica.lagSeconds()]).toEqual(['the replica does not respond', null])
})

test('reads use the replica once it follows the primary; a write that it rejects runs on the primary', async () => {
  standbyNode.start()
  await standbyNode.waitUntilReady()
  await eventually(async () => {
    await commitAndCheck()
    expect(await readServerPort()).toBe(standbyNode.port)
    const isNearlyCurrent = (replica.lagSeconds() ?? Number.POSITIVE_INFINITY) < 2
    expect([replica.problem(), isNearlyCurrent]).toEqual([null, true])
  })
  const writeOnReplica = (node: string) =>
    replica.read((db) => db.execute(sql`insert into beats values (now()) returning ${node}`))
  // The replica rejects the statement, so it runs on the primary database.
  await writeOnReplica('any')
  expect(await readServerPort()).toBe(primaryNode.port)
})

test('a read is retried on the primary when the connection to the replica is lost', async () => {
  await eventually(async () => {
    await commitAndCheck()
    expect(await readServerPort()).toBe(standbyNode.port)
  })
  await standbyNode.kill()
  expect(await readServerPort()).toBe(primaryNode.port)
  standbyNode.start()
  await standbyNode.waitUntilReady()
})

test('a replica that lags behind is not used until it has caught up', async () => {
  await standbyNode.query('select pg_wal_replay_pause()')
  await eventually(async () => {
    runCheck()
    expect(await readServerPort()).toBe(primaryNode.port)
    expect(replica.problem()).toBe('the replica does not follow the database')
  })
  expect(replica.lagSeconds()).toBeGreaterThan(2)
  await standbyNode.query('select pg_wal_replay_resume()')
  await eventually(async () => {
    await commitAndCheck()
    expect(await readServerPort()).toBe(standbyNode.port)
  })
})

test('an SQL error is returned and the replica stays in use; a replica that was promoted is not used', async () => {
  await expect(replica.read((db) => db.execute(sql`select 1 / 0`))).rejects.toThrow()
  expect(await readServerPort()).toBe(standbyNode.port)
  await standbyNode.query('select pg_promote()')
  await eventually(async () => {
    runCheck()
    expect(await readServerPort()).toBe(primaryNode.port)
    expect(replica.problem()).toContain('is not a replica, or was promoted')
  })
})
