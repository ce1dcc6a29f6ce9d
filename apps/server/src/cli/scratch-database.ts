import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { bulkLimits, openClient } from '../db/connection.ts'
import { createShutdownRegistry, type ShutdownRegistry } from '../shutdown-registry.ts'
import { type CliEnvironment, CommandFailure } from './command.ts'
import type { Installation } from './installation.ts'

const PREFIX = 'tocsin_verify_'
/**
 * Key of the advisory lock for creating a scratch database. Prevents a second backup from removing
 * the database before its first connection is open.
 */
const CREATION_LOCK = 7_205_759_401

export interface OrphanedDatabase {
  name: string
  bytes: number
}

/**
 * Drops the scratch databases of killed runs, then creates an empty database on the server of
 * `databaseUrl`. Drops the new database when `use` ends or the command is interrupted.
 * @param use gets the URL of the database and a registry, whose stop functions run before the
 * database is dropped
 * @throws CommandFailure if the database user has no right to create databases
 */
export async function withScratchDatabase<T>(
  databaseUrl: string,
  installation: Pick<Installation, 'shutdown'>,
  cli: Pick<CliEnvironment, 'out' | 'err'>,
  use: (url: string, shutdown: ShutdownRegistry) => Promise<T>,
): Promise<T> {
  const name = `${PREFIX}${randomBytes(6).toString('hex')}`
  const url = new URL(databaseUrl)
  url.pathname = `/${name}`
  const shutdown = createShutdownRegistry((error) =>
    cli.err(`The scratch database ${name} may remain: ${String(error)}`),
  )
  installation.shutdown.add(shutdown.stopAll)
  try {
    await withServerClient(databaseUrl, async (client) => {
      await client.query('select pg_advisory_lock($1)', [CREATION_LOCK])
      for (const leftover of await listOrphanedDatabases(client)) await dropOrphanedDatabase(client, leftover, cli)
      const creation = client.query(`create database ${pg.escapeIdentifier(name)} template template0`)
      await shutdown.addStarting(creation, () => dropDatabase(databaseUrl, name))
      // An open connection marks the database as used until it is dropped.
      await shutdown.addStarting(openClient(url.href, bulkLimits), (guard) => guard.end())
    })
    return await use(url.href, shutdown)
  } finally {
    await shutdown.stopAll()
  }
}

/**
 * Returns the scratch databases without a connection. Only runs that were killed leave such
 * databases behind.
 */
export async function listOrphanedDatabases(client: pg.Client): Promise<OrphanedDatabase[]> {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `select datname as name, pg_database_size(oid) as bytes from pg_database
     where starts_with(datname, $1) and datdba = current_user::regrole
       and not exists (select from pg_stat_activity where datid = pg_database.oid) order by datname`,
    [PREFIX],
  )
  return rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes) }))
}

/** Drops a database without `force`, so that it remains if it is in use. */
async function dropOrphanedDatabase(
  client: pg.Client,
  { name }: OrphanedDatabase,
  cli: Pick<CliEnvironment, 'out' | 'err'>,
): Promise<void> {
  try {
    await client.query(`drop database if exists ${pg.escapeIdentifier(name)}`)
    cli.out(`Removed the scratch database ${name} of an interrupted run.`)
  } catch (error) {
    cli.err(`The scratch database ${name} of an interrupted run remains: ${String(error)}`)
  }
}

function dropDatabase(databaseUrl: string, name: string): Promise<void> {
  return withServerClient(databaseUrl, async (client) => {
    await client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`)
  })
}

async function withServerClient(url: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = await openClient(url, bulkLimits)
  try {
    await use(client)
  } catch (error) {
    const isDenied = error instanceof pg.DatabaseError && error.code === '42501'
    if (!isDenied) throw error
    throw new CommandFailure(
      'The role of DATABASE_URL may not create a scratch database. Allow it with: ALTER ROLE tocsin CREATEDB',
    )
  } finally {
    await client.end()
  }
}
