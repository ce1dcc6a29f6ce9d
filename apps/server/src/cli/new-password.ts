import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type CliEnvironment, CommandFailure, findTextOption, type Values } from './command.ts'

export const passwordOptions = { 'password-file': { type: 'string' }, generate: { type: 'boolean' } } as const

export const passwordUsage = [
  '--password-file FILE   reads the password from the first line of this file',
  '--generate             generates a password and prints it once',
  'Without either, the command prompts for the password or reads it from standard input. Passwords are not accepted',
  'as arguments, because other users of the machine could read them.',
]

/**
 * Returns the password that the operator enters, or a generated one. Call `show` after the password
 * was stored: it prints the password if it was generated, otherwise nothing.
 */
export async function newPassword(
  values: Values,
  cli: CliEnvironment,
): Promise<{ password: string; show: () => void }> {
  if (values.generate === true) {
    const password = randomBytes(15).toString('base64url')
    return { password, show: () => cli.out(`Password: ${password}`) }
  }
  const file = findTextOption(values, 'password-file')
  const password = file === undefined ? await promptPassword(cli) : readFirstLine(resolve(cli.folder, file))
  return { password, show: () => {} }
}

async function promptPassword(cli: CliEnvironment): Promise<string> {
  const password = await cli.readSecret('Password: ')
  if (cli.isInteractive && (await cli.readSecret('Repeat password: ')) !== password) {
    throw new CommandFailure('The passwords do not match. Nothing was changed.')
  }
  return password
}

/** @throws CommandFailure if the file cannot be read */
export function readFirstLine(file: string): string {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/)[0] ?? ''
  } catch {
    throw new CommandFailure(`Cannot read ${file}`)
  }
}
