import { parseArgs } from 'node:util'
import { ConfigError } from '../read-config.ts'
import { Refusal } from '../refusal.ts'
import { adminCreate } from './admin-create.ts'
import { adminResetPassword } from './admin-reset-password.ts'
import { anchorDeploy } from './anchor-deploy.ts'
import { backup } from './backup.ts'
import { type Command, CommandFailure, exitCodes, type Surroundings, UsageError, type Values } from './command.ts'
import { configCheck } from './config-check.ts'
import { feedReplay } from './feed-replay.ts'
import { logAdopt } from './log-adopt.ts'
import { logCheck } from './log-check.ts'
import { logResume } from './log-resume.ts'
import { logSucceed } from './log-succeed.ts'
import { restore } from './restore.ts'
import { signerRotate } from './signer-rotate.ts'
import { verify } from './verify.ts'

const commands: Command[] = [
  adminCreate,
  adminResetPassword,
  configCheck,
  anchorDeploy,
  backup,
  restore,
  verify,
  logCheck,
  logResume,
  logAdopt,
  logSucceed,
  signerRotate,
  feedReplay,
]

/** @returns the exit code */
export async function runCli(args: string[], around: Surroundings): Promise<number> {
  if (args.length === 0 || isHelp(args[0])) {
    around.out(overview(around))
    return args.length === 0 ? exitCodes.usage : exitCodes.done
  }
  const command = commands.find(({ name }) => name.split(' ').every((word, at) => args[at] === word))
  if (!command) {
    around.err(`There is no command "${args.slice(0, 2).join(' ')}".\n\n${overview(around)}`)
    return exitCodes.usage
  }
  const rest = args.slice(command.name.split(' ').length)
  if (command !== verify && rest.some(isHelp)) {
    around.out(describe(command, around))
    return exitCodes.done
  }
  try {
    return await command.run(command === verify ? { values: {}, files: rest } : parse(command, rest), around)
  } catch (error) {
    return explain(error, command, around)
  }
}

function parse(command: Command, args: string[]): { values: Values; files: string[] } {
  try {
    const { values, positionals } = parseArgs({ args, options: command.options, allowPositionals: true })
    if (positionals.length !== command.files) {
      throw new UsageError(command.files === 0 ? 'Too many arguments' : 'Name one file')
    }
    // No option is declared to be given several times, so none has several values.
    return { values: values as Values, files: positionals }
  } catch (error) {
    if (error instanceof UsageError) throw error
    // Its first sentence says what is wrong; what follows is advice on quoting.
    const [sentence = 'The arguments are malformed'] = error instanceof Error ? error.message.split('. ') : []
    throw new UsageError(sentence)
  }
}

function explain(error: unknown, command: Command, around: Surroundings): number {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof UsageError) {
    around.err(`${message}.\n\n${describe(command, around)}`)
    return exitCodes.usage
  }
  const isExpected = error instanceof Refusal || error instanceof CommandFailure || error instanceof ConfigError
  const isDebugging = around.env.LOG_LEVEL === 'debug' && error instanceof Error
  around.err(isDebugging && !isExpected ? (error.stack ?? message) : message)
  return error instanceof ConfigError ? exitCodes.misconfigured : exitCodes.failed
}

function overview({ program }: Surroundings): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  return [
    `${program} <command>`,
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}   ${summary}`),
    '',
    `${program} <command> --help says more. The settings are those of the server: environment and .env. In the demo the commands`,
    'work on the running one, or start its database and chain for as long as they take.',
    '',
    `Exit codes: ${exitCodes.done} done, ${exitCodes.failed} refused or failed, ${exitCodes.usage} wrong usage, ${exitCodes.misconfigured} wrong configuration.`,
  ].join('\n')
}

function describe({ name, summary, usage }: Command, { program }: Surroundings): string {
  const [line = '', ...options] = usage
  return [`${program} ${name} ${line}`.trimEnd(), '', summary, '', ...options.map((text) => `  ${text}`)].join('\n')
}

const isHelp = (word: string | undefined) => word === '--help' || word === '-h' || word === 'help'
