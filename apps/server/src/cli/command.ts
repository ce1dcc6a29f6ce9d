import type { ParseArgsConfig } from 'node:util'

export const exitCodes = { done: 0, failed: 1, usage: 2, misconfigured: 78 } as const

/** What a command is run in. */
export interface Surroundings {
  env: Record<string, string | undefined>
  /** Where the names of files begin. */
  folder: string
  version: string
  /** What one types before a command: npm's script, or the command that the container image has. */
  program: string
  out(line: string): void
  err(line: string): void
  /** One line that nobody sees being typed, or the first line of what is piped in. */
  readSecret(prompt: string): Promise<string>
  /** Whether a person sits at the terminal and can be asked twice. */
  isInteractive: boolean
  /** The checks of one alert file, with the arguments of tocsin-verify. Returns its exit code. */
  verifyAlert(args: string[]): Promise<number>
}

export type Values = Record<string, string | boolean | undefined>

export interface Command {
  name: string
  summary: string
  /** What stands after the name, then a line for each option. */
  usage: string[]
  options: NonNullable<ParseArgsConfig['options']>
  /** How many files it takes. */
  files: number
  /** @returns the exit code */
  run(input: { values: Values; files: string[] }, around: Surroundings): Promise<number>
}

/** The command can't be carried out as it was typed. */
export class UsageError extends Error {}

/** The command was understood, and is refused or has failed: one sentence for the operator. */
export class CommandFailure extends Error {}

export function textOf(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** @throws UsageError */
export function requireText(values: Values, name: string): string {
  const value = textOf(values, name)
  if (value === undefined) throw new UsageError(`--${name} is missing`)
  return value
}
