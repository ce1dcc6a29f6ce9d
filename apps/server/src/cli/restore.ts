import { resolve } from 'node:path'
import { readPassphrase } from './backup.ts'
import { readBackup } from './backup-file.ts'
import { type Command, exitCodes } from './command.ts'
import { openContext, withInstallation } from './installation.ts'
import { loadDatabase } from './load.ts'
import { checkWholeLog } from './log-check.ts'

export const restore: Command = {
  name: 'restore',
  summary: 'Fills an empty database with a backup, then recomputes the log and compares it with its anchors.',
  usage: [
    '<file> [--passphrase-file FILE]',
    '--passphrase-file FILE   the passphrase that it was encrypted with',
    'Stop the server first. Into a database that holds anything nothing is restored.',
  ],
  options: { 'passphrase-file': { type: 'string' } },
  files: 1,
  async run({ values, files: [file = ''] }, around) {
    const lines = readBackup(resolve(around.folder, file), readPassphrase(values, around))
    await withInstallation(around, async (installation) => {
      const { header, rows } = await loadDatabase(installation.config.databaseUrl, lines)
      around.out(`Restored ${rows} rows of ${header.tables.length} tables, as they were at ${header.createdAt}.`)
      await checkWholeLog(await openContext(installation), around)
    })
    return exitCodes.done
  },
}
