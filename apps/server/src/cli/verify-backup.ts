import { openDatabaseClock } from '../clock.ts'
import { bulkLimits } from '../db/connection.ts'
import { openDatabase } from '../db/database.ts'
import { BACKUP_SETTING, saveSetting } from '../db/setting.ts'
import { checkLog } from '../features/tlog/check-log.ts'
import { LogFault } from '../features/tlog/log.ts'
import { readBackup } from './backup-file.ts'
import { type CliEnvironment, CommandFailure } from './command.ts'
import { type Installation, openContext } from './installation.ts'
import { loadDatabase } from './load.ts'
import { withScratchDatabase } from './scratch-database.ts'

/**
 * Restores a backup into a scratch database on the same server, recomputes its log, and drops the
 * database. Does not read the anchor chain, because the backup lacks entries that were anchored
 * later.
 * @throws CommandFailure if the backup cannot be restored, or its log is damaged
 */
export async function verifyBackup(
  installation: Installation,
  path: string,
  passphrase: string | null,
  cli: CliEnvironment,
): Promise<void> {
  const { settings, config } = installation
  try {
    await withScratchDatabase(config.databaseUrl, installation, cli, async (databaseUrl, shutdown) => {
      const { rows } = await loadDatabase(databaseUrl, readBackup(path, passphrase))
      const ctx = await openContext({ settings, config: { ...config, databaseUrl }, shutdown })
      const { size } = await checkLog(ctx)
      cli.out(`Verified: restored ${rows} rows into a scratch database and recomputed its log of ${size} entries.`)
    })
  } catch (error) {
    throw error instanceof LogFault ? new CommandFailure(`The log in the backup is damaged: ${error.message}`) : error
  }
}

/** Records when a backup was verified, for the metric `tocsin_backup_age_seconds`. */
export async function recordVerifiedBackup(databaseUrl: string): Promise<void> {
  const database = openDatabase(databaseUrl, () => {}, { limits: bulkLimits })
  try {
    await saveSetting(database.db, BACKUP_SETTING, true, (await openDatabaseClock(database.db)).clock.now())
  } finally {
    await database.close()
  }
}
