import { resolve } from 'node:path'
import { operator, recordAudit } from '../audit-log.ts'
import type { Context } from '../context.ts'
import { cancelRunningMessages } from '../features/outreach/store.ts'
import { readPassphrase } from './backup.ts'
import { readBackup } from './backup-file.ts'
import { type CliEnvironment, type Command, exitCodes } from './command.ts'
import { openContext, withInstallation } from './installation.ts'
import { loadDatabase } from './load.ts'
import { checkWholeLog } from './log-check.ts'

export const restore: Command = {
  name: 'restore',
  summary: 'Restores a backup into an empty database, then recomputes the log and compares it with its anchors.',
  usage: [
    '<file> [--passphrase-file FILE]',
    '--passphrase-file FILE   decrypts the backup with the first line of this file',
    'Stop the server first. The command fails if the database is not empty.',
  ],
  options: { 'passphrase-file': { type: 'string' } },
  files: 1,
  async run({ values, files: [file = ''] }, cli) {
    const lines = readBackup(resolve(cli.folder, file), readPassphrase(values, cli))
    await withInstallation(cli, async (installation) => {
      const { header, rows } = await loadDatabase(installation.config.databaseUrl, lines)
      cli.out(`Restored ${rows} rows in ${header.tables.length} tables from the backup of ${header.createdAt}.`)
      const ctx = await openContext(installation)
      const at = ctx.clock.now()
      const detail = { backupMadeAt: header.createdAt, rows }
      await recordAudit(ctx.db, { ...operator, action: 'backup_restored', subject: null, detail, at })
      await cancelMessages(ctx, cli, at)
      await checkWholeLog(ctx, cli, { isChainRequired: false })
    })
    return exitCodes.done
  },
}

/**
 * Cancels the messages that were being sent when the backup was made. Otherwise, accounts that
 * received such a message after the backup would receive it again.
 */
async function cancelMessages({ db }: Context, cli: CliEnvironment, at: Date): Promise<void> {
  const cancelledMessages = await db.transaction(async (tx) => {
    const messages = await cancelRunningMessages(tx, at)
    for (const { id } of messages) {
      await recordAudit(tx, { ...operator, action: 'message_cancelled', subject: id, at })
    }
    return messages
  })
  for (const { subject } of cancelledMessages) {
    cli.out(
      `Cancelled the message “${subject}”, which was being sent when the backup was made: most recipients have probably received it since.`,
    )
  }
}
