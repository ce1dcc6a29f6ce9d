import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { CommandFailure, type Surroundings, textOf, type Values } from './command.ts'

export const passwordOptions = { 'password-file': { type: 'string' }, generate: { type: 'boolean' } } as const

export const passwordUsage = [
  '--password-file FILE   takes the password from the first line of this file',
  '--generate             makes a password up and prints it, once',
  'Without either it is asked for, or read from standard input. A password is never an argument: others on the machine could read it.',
]

/** The password that the operator has chosen, or one that is printed once the command has succeeded. */
export async function newPassword(
  values: Values,
  around: Surroundings,
): Promise<{ password: string; show: () => void }> {
  if (values.generate === true) {
    const password = randomBytes(15).toString('base64url')
    return { password, show: () => around.out(`Password: ${password}`) }
  }
  const file = textOf(values, 'password-file')
  const password = file === undefined ? await ask(around) : readFirstLine(resolve(around.folder, file))
  return { password, show: () => {} }
}

async function ask(around: Surroundings): Promise<string> {
  const password = await around.readSecret('Password: ')
  if (around.isInteractive && (await around.readSecret('Once more: ')) !== password) {
    throw new CommandFailure('The two passwords differ. Nothing was changed.')
  }
  return password
}

/** @throws CommandFailure when it can't be read */
export function readFirstLine(file: string): string {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/)[0] ?? ''
  } catch {
    throw new CommandFailure(`${file} can't be read`)
  }
}
