import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { openDatabaseClock } from '../clock.ts'
import { bulkLimits, openClient } from '../db/connection.ts'
import { openDatabase } from '../db/database.ts'
import { BACKUP_SETTING, saveSetting } from '../db/setting.ts'
import { checkLog } from '../features/tlog/check-log.ts'
import { LogFault } from '../features/tlog/log.ts'
import { createStops } from '../stops.ts'
import { readBackup } from './backup-file.ts'
import { type CliEnvironment, CommandFailure } from './command.ts'
import { type Installation, openContext } from './installation.ts'
import { loadDatabase } from './load.ts'

/**
 * Restores a backup into a scratch database on the same server, recomputes its log, and drops the
 * database. Does not ask the anchor chain: entries that were anchored since are not in the backup.
 * @throws CommandFailure if the backup cannot be restored, or its log is damaged
 */
export async function verifyBackup(
  { settings, config }: Pick<Installation, 'settings' | 'config'>,
  path: string,
  passphrase: string | null,
  cli: CliEnvironment,
): Promise<void> {
  const name = `tocsin_verify_${randomBytes(6).toString('hex')}`
  const url = new URL(config.databaseUrl)
  url.pathname = `/${name}`
  await runOnServer(config.databaseUrl, `create database ${pg.escapeIdentifier(name)} template template0`)
  const stops = createStops((error) => cli.err(String(error)))
  try {
    const { rows } = await loadDatabase(url.href, readBackup(path, passphrase))
    const ctx = await openContext({ settings, config: { ...config, databaseUrl: url.href }, stops })
    const { size } = await checkLog(ctx)
    cli.out(`Verified: restored ${rows} rows into a scratch database and recomputed its log of ${size} entries.`)
  } catch (error) {
    throw error instanceof LogFault ? new CommandFailure(`The log in the backup is damaged: ${error.message}`) : error
  } finally {
    await stops.stopAll()
    await runOnServer(config.databaseUrl, `drop database if exists ${pg.escapeIdentifier(name)} with (force)`)
  }
}

/** For the metric `tocsin_backup_age_seconds`. */
export async function recordVerifiedBackup(databaseUrl: string): Promise<void> {
  const database = openDatabase(databaseUrl, () => {}, { limits: bulkLimits })
  try {
    await saveSetting(database.db, BACKUP_SETTING, true, (await openDatabaseClock(database.db)).clock.now())
  } finally {
    await database.close()
  }
}

async function runOnServer(url: string, statement: string): Promise<void> {
  const client = await openClient(url, bulkLimits)
  try {
    await client.query(statement)
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
