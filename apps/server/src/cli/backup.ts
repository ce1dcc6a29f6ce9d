import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { systemClock } from '../clock.ts'
import { writeBackup } from './backup-file.ts'
import { type Command, CommandFailure, exitCodes, type Surroundings, textOf, type Values } from './command.ts'
import { dumpDatabase } from './dump.ts'
import { withInstallation } from './installation.ts'
import { readFirstLine } from './new-password.ts'

export const backup: Command = {
  name: 'backup',
  summary:
    'Writes all tables, as they are at one moment, into a file that only its owner can read. The server may go on.',
  usage: [
    '<file> [--passphrase-file FILE]',
    '--passphrase-file FILE   encrypts it with the passphrase in the first line of this file; without it nothing can be restored',
    'Sessions, mailed links and mails that wait are left out: after a restore everybody signs in again. The keys are not in it either:',
    'keep SIGNER_KEY, ANCHOR_KEY and APP_SECRET (in the demo DATA_DIR/secrets.json and DATA_DIR/chain) elsewhere.',
  ],
  options: { 'passphrase-file': { type: 'string' } },
  files: 1,
  async run({ values, files: [file = ''] }, around) {
    const path = resolve(around.folder, file)
    const passphrase = readPassphrase(values, around)
    await withInstallation(around, ({ config }) =>
      writeBackup(path, dumpDatabase(config.databaseUrl, systemClock.now()), passphrase),
    )
    const { size } = await stat(path)
    around.out(`Wrote ${path}: ${size} bytes, ${passphrase === null ? 'not encrypted' : 'encrypted'}.`)
    return exitCodes.done
  },
}

const MIN_PASSPHRASE_LENGTH = 12

export function readPassphrase(values: Values, around: Surroundings): string | null {
  const file = textOf(values, 'passphrase-file')
  if (file === undefined) return null
  const passphrase = readFirstLine(resolve(around.folder, file))
  if (passphrase.length >= MIN_PASSPHRASE_LENGTH) return passphrase
  throw new CommandFailure(`The passphrase in ${file} is shorter than ${MIN_PASSPHRASE_LENGTH} characters.`)
}
