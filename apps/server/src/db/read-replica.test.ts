import { startTcpProxy } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Scheduler } from '../scheduler.ts'
import { type Database, openDatabase } from './database.ts'
import { openReadReplica } from './read-replica.ts'

const server = useTestDatabase()

const readDatabaseName = async (db: Database) =>
  (await db.execute<{ name: string }>(sql`select current_database() as name`)).rows[0]?.name

test('openReadReplica: sends pending and later reads to the primary database when the replica hangs', async () => {
  const primaryUrl = await server.createDatabase()
  const replicaUrl = await server.createDatabase()
  const [primary, replicaDatabase] = [openDatabase(primaryUrl, () => {}), openDatabase(replicaUrl, () => {})]
  const [primaryName, replicaName] = [await readDatabaseName(primary.db), await readDatabaseName(replicaDatabase.db)]
  // Make the database look like a replica: with this search path, PostgreSQL finds these functions
  // before its own.
  await replicaDatabase.db.execute(sql`create function public.pg_is_in_recovery() returns boolean return true`)
  await replicaDatabase.db.execute(
    sql`create function public.pg_last_xact_replay_timestamp() returns timestamptz return clock_timestamp()`,
  )
  await replicaDatabase.db.execute(sql.raw(`alter database ${replicaName} set search_path = public, pg_catalog`))
  await replicaDatabase.close()
  const proxy = await startTcpProxy(replicaUrl)
  const checks: (() => void)[] = []
  const scheduler: Scheduler = {
    after: () => () => {},
    every(_intervalMs, run) {
      checks.push(run)
      return () => {}
    },
  }
  const logger = pino({ level: 'silent' })
  const replica = await openReadReplica(proxy.url, primary.db, { timeoutSeconds: 3_600, scheduler, logger })
  expect(replica.problem()).toBeNull()
  expect(await replica.read(readDatabaseName)).toBe(replicaName)
  proxy.dropData()
  const pendingRead = replica.read(readDatabaseName)
  for (const check of checks) check()
  expect(await pendingRead).toBe(primaryName)
  expect(replica.problem()).toBe('the replica does not respond within 2 s')
  expect(await replica.read(readDatabaseName)).toBe(primaryName)
  proxy.resetConnections()
  await replica.close()
  await Promise.all([proxy.close(), primary.close()])
})
