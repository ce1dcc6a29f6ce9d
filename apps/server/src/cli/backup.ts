import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { systemClock } from '../clock.ts'
import { writeBackup } from './backup-file.ts'
import { type CliEnvironment, type Command, CommandFailure, exitCodes, findTextOption, type Values } from './command.ts'
import { dumpDatabase } from './dump.ts'
import { withInstallation } from './installation.ts'
import { readFirstLine } from './new-password.ts'
import { recordVerifiedBackup, verifyBackup } from './verify-backup.ts'

export const backup: Command = {
  name: 'backup',
  summary: 'Writes a consistent backup to a file that only its owner can read. The server can keep running.',
  usage: [
    '<file> [--passphrase-file FILE] [--verify]',
    '--passphrase-file FILE   encrypts the backup with the first line of this file; required again to restore it',
    '--verify                 restores the file into a scratch database, recomputes its log, and drops the database;',
    '                         needs a role with CREATEDB, and space for a second database; a file that fails is kept',
    '                         as <file>.unverified',
    'Sessions, mailed links and queued mails are not included: after a restore, all users must sign in again.',
    'Keys are not included either: back up SIGNER_KEY, ANCHOR_KEY and APP_SECRET separately (in the demo',
    'DATA_DIR/secrets.json and DATA_DIR/chain).',
  ],
  options: { 'passphrase-file': { type: 'string' }, verify: { type: 'boolean' } },
  files: 1,
  async run({ values, files: [file = ''] }, cli) {
    const path = resolve(cli.folder, file)
    const passphrase = readPassphrase(values, cli)
    await withInstallation(cli, async (installation) => {
      const { databaseUrl } = installation.config
      const lines = dumpDatabase(databaseUrl, systemClock.now())
      await writeBackup(path, lines, passphrase, async (file) => {
        const { size } = await stat(file)
        cli.out(`Wrote ${size} bytes, ${passphrase === null ? 'not encrypted' : 'encrypted'}.`)
        if (!values.verify) return
        await verifyBackup(installation, file, passphrase, cli).catch((error: unknown) => {
          cli.err(`The backup was not verified. It is kept as ${file}.`)
          throw error
        })
        await recordVerifiedBackup(databaseUrl)
      })
      cli.out(`The backup is ${path}.`)
    })
    return exitCodes.done
  },
}

const MIN_PASSPHRASE_LENGTH = 12

export function readPassphrase(values: Values, cli: CliEnvironment): string | null {
  const file = findTextOption(values, 'passphrase-file')
  if (file === undefined) return null
  const passphrase = readFirstLine(resolve(cli.folder, file))
  if (passphrase.length >= MIN_PASSPHRASE_LENGTH) return passphrase
  throw new CommandFailure(`The passphrase in ${file} is shorter than ${MIN_PASSPHRASE_LENGTH} characters.`)
}
