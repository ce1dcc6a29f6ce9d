import type { ParseArgsConfig } from 'node:util'
import { type Address, checksumAddress, type Hex } from '@tocsin/proof'
import type { ConfigParts, Settings } from '../read-config.ts'
import type { ShutdownRegistry } from '../shutdown-registry.ts'

export const exitCodes = { done: 0, failed: 1, usage: 2, misconfigured: 78 } as const

/** The functions of the demo that commands use. */
export interface DemoAccess {
  /**
   * Returns the parts of the demo that is running on the data folder of the settings. If no demo is
   * running there, starts the parts for this command.
   */
  borrowDemo(settings: Settings, print: (line: string) => void, shutdown: ShutdownRegistry): Promise<ConfigParts>
  /** Returns the key that the demo's log rotates to, and generates it if necessary. */
  prepareNextSignerKey(dataDir: string, currentSigner: Address, now: Date): Hex
}

/** The environment in which a command runs. Tests replace it. */
export interface CliEnvironment {
  env: Record<string, string | undefined>
  /** Working directory: relative file names are resolved against it. */
  folder: string
  version: string
  /** The program name in usage texts: `npm run tocsin --`, or `tocsin` in the container image. */
  program: string
  out(line: string): void
  err(line: string): void
  /** Reads one line without echo, or the first line of piped input. */
  readSecret(prompt: string): Promise<string>
  /** True if standard input is a terminal, so that the user can be asked to repeat a password. */
  isInteractive: boolean
  /** Runs tocsin-verify with these arguments. Returns its exit code. */
  verifyAlert(args: string[]): Promise<number>
  /** Null if the demo is not installed. */
  demo: DemoAccess | null
}

export type Values = Record<string, string | boolean | undefined>

export interface Command {
  name: string
  summary: string
  /** Arguments for the usage line, followed by one help line per option. */
  usage: string[]
  options: NonNullable<ParseArgsConfig['options']>
  /** Number of file arguments. */
  files: number
  /** @returns the exit code */
  run(input: { values: Values; files: string[] }, cli: CliEnvironment): Promise<number>
}

/** Thrown if the command line is invalid. */
export class UsageError extends Error {}

/**
 * Thrown if the command was rejected or failed. The message is shown to the operator without a
 * stack trace.
 */
export class CommandFailure extends Error {}

export function findTextOption(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** @throws UsageError */
export function requireText(values: Values, name: string): string {
  const value = findTextOption(values, name)
  if (value === undefined) throw new UsageError(`--${name} is missing`)
  return value
}

/** @throws UsageError */
export function requireAddress(values: Values, name: string): Address {
  const text = requireText(values, name)
  try {
    return checksumAddress(text)
  } catch {
    throw new UsageError(`--${name} is not an address with a valid checksum`)
  }
}
