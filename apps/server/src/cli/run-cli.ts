import { parseArgs } from 'node:util'
import { formatError, formatErrorWithStack } from '../format-error.ts'
import { ConfigError } from '../read-config.ts'
import { Refusal } from '../refusal.ts'
import { adminCreate } from './admin-create.ts'
import { adminResetFactors } from './admin-reset-factors.ts'
import { adminResetPassword } from './admin-reset-password.ts'
import { anchorDeploy } from './anchor-deploy.ts'
import { backup } from './backup.ts'
import { type CliEnvironment, type Command, CommandFailure, exitCodes, UsageError, type Values } from './command.ts'
import { configCheck } from './config-check.ts'
import { doctor } from './doctor.ts'
import { feedReplay } from './feed-replay.ts'
import { logAdopt } from './log-adopt.ts'
import { logCheck } from './log-check.ts'
import { logResume } from './log-resume.ts'
import { logSucceed } from './log-succeed.ts'
import { protectedSet } from './protected-set.ts'
import { restore } from './restore.ts'
import { signerRotate } from './signer-rotate.ts'
import { status } from './status.ts'
import { verify } from './verify.ts'

const commands: Command[] = [
  adminCreate,
  adminResetPassword,
  adminResetFactors,
  configCheck,
  doctor,
  status,
  anchorDeploy,
  backup,
  restore,
  verify,
  logCheck,
  logResume,
  logAdopt,
  logSucceed,
  signerRotate,
  protectedSet,
  feedReplay,
]

/** @returns the exit code */
export async function runCli(args: string[], cli: CliEnvironment): Promise<number> {
  if (args.length === 0 || isHelp(args[0])) {
    cli.out(formatOverview(cli))
    return args.length === 0 ? exitCodes.usage : exitCodes.done
  }
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => args[index] === word))
  if (!command) {
    cli.err(`Unknown command "${args.slice(0, 2).join(' ')}".\n\n${formatOverview(cli)}`)
    return exitCodes.usage
  }
  const commandArgs = args.slice(command.name.split(' ').length)
  if (command !== verify && commandArgs.some(isHelp)) {
    cli.out(describeCommand(command, cli))
    return exitCodes.done
  }
  try {
    return await command.run(command === verify ? { values: {}, files: commandArgs } : parse(command, commandArgs), cli)
  } catch (error) {
    return printError(error, command, cli)
  }
}

function parse(command: Command, args: string[]): { values: Values; files: string[] } {
  try {
    const { values, positionals } = parseArgs({ args, options: command.options, allowPositionals: true })
    if (positionals.length !== command.files) {
      throw new UsageError(command.files === 0 ? 'Too many arguments' : 'Expected exactly one file')
    }
    // The cast is safe: no option is declared with `multiple`, so no value is an array.
    return { values: values as Values, files: positionals }
  } catch (error) {
    if (error instanceof UsageError) throw error
    // The first sentence describes the problem, the rest is advice on quoting.
    const [sentence = 'The arguments are malformed'] = error instanceof Error ? error.message.split('. ') : []
    throw new UsageError(sentence)
  }
}

function printError(error: unknown, command: Command, cli: CliEnvironment): number {
  if (error instanceof UsageError) {
    cli.err(`${error.message}.\n\n${describeCommand(command, cli)}`)
    return exitCodes.usage
  }
  const isExpected = error instanceof Refusal || error instanceof CommandFailure || error instanceof ConfigError
  const isDebugging = cli.env.LOG_LEVEL === 'debug' && error instanceof Error
  cli.err(isDebugging && !isExpected ? formatErrorWithStack(error) : formatError(error))
  return error instanceof ConfigError ? exitCodes.misconfigured : exitCodes.failed
}

function formatOverview({ program }: CliEnvironment): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  return [
    `${program} <command>`,
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}   ${summary}`),
    '',
    `Run ${program} <command> --help for details. Commands use the settings of the server (environment and .env).`,
    'In the demo, commands use the running instance, or start its database and chain temporarily.',
    '',
    `Exit codes: ${exitCodes.done} success, ${exitCodes.failed} rejected or failed, ${exitCodes.usage} invalid usage, ${exitCodes.misconfigured} invalid configuration.`,
  ].join('\n')
}

function describeCommand({ name, summary, usage }: Command, { program }: CliEnvironment): string {
  const [line = '', ...options] = usage
  return [`${program} ${name} ${line}`.trimEnd(), '', summary, '', ...options.map((text) => `  ${text}`)].join('\n')
}

const isHelp = (word: string | undefined) => word === '--help' || word === '-h' || word === 'help'
