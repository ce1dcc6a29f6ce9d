import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { formatError, formatErrorWithStack } from './format-error.ts'
import { logCrash } from './logger.ts'
import {
  ConfigError,
  type ConfigParts,
  completeConfig,
  getProductionParts,
  readSettings,
  type Settings,
} from './read-config.ts'
import { readVersion } from './read-version.ts'
import { createServer, type Extensions, type RunningServer } from './server.ts'
import { createShutdownRegistry, type ShutdownRegistry } from './shutdown-registry.ts'
import { startTracing } from './tracing.ts'

/** A running demo. It supplies the parts that the environment does not configure. */
export interface Demo {
  parts: ConfigParts
  /**
   * Additions to the server: the seed, which runs before the server listens, and the demo's routes.
   */
  extend: Extensions
  /** Returns the text for the terminal when the server is running. */
  describe(url: string): string
  /** Resolves to an error message if a part of the demo has failed permanently. */
  exited: Promise<string>
}

/**
 * Starts the demo. Registers a stop function in `shutdown` for every started part, even if a later
 * part fails.
 */
export type StartDemo = (
  settings: Settings,
  printLine: (line: string) => void,
  shutdown: ShutdownRegistry,
) => Promise<Demo>

const EXIT_FAILURE = 1
const EXIT_MISCONFIGURED = 78
/**
 * Time within which a second signal is ignored. npm forwards Ctrl-C, so the process gets it twice.
 */
const SAME_KEY_PRESS_MS = 1_000
/**
 * Time until a stopping process exits even if parts of it have not stopped. It begins after the
 * notice period, during which the server still accepts connections. If the process exits while
 * child processes run, their watchers end them.
 */
const STOP_TIMEOUT_MS = 17_000

const shutdown = createShutdownRegistry(printProblem)
let firstSignalAtMs: number | null = null
/** Drain notice period: how long a stopping server still accepts connections. */
let noticeMs = 0

/**
 * Runs the server in this process: environment -> settings -> parts -> configuration -> server ->
 * signals. Only this file of the server reads the environment and handles signals.
 * @param startDemo used if no real chain is configured. Null if the demo is not installed: then the
 * settings for real chains are required
 */
export function runServer(startDemo: StartDemo | null): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stopOnSignal)
  process.on('unhandledRejection', stopAfterCrash)
  process.on('uncaughtException', stopAfterCrash)
  startServer(startDemo).catch(exitWithFailure)
}

async function startServer(startDemo: StartDemo | null): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const settings = readSettings(process.env, { hasDemo: startDemo !== null })
  for (const warning of settings.warnings) printLine(warning)

  await shutdown.addStarting(startTracing(process.env, readVersion(), settings.port), (end) => end())
  const demo = settings.demo && startDemo ? await startDemo(settings, printLine, shutdown) : null
  const config = completeConfig(settings, demo?.parts ?? getProductionParts(settings), readVersion(), findWebDir())
  noticeMs = config.http.drain.noticeMs
  const server = await shutdown.addStarting(createServer(config, demo?.extend ?? {}), ({ close }) => close())
  printLine(demo ? demo.describe(server.url) : describeServer(server))
  if (demo) exitWithFailure(await demo.exited)
}

/**
 * Returns the text for the terminal. It must not be logged, because the first person who opens the
 * link becomes an admin.
 */
function describeServer({ url, firstAdminLink }: RunningServer): string {
  if (!firstAdminLink) return `Tocsin is up: ${url}`
  const { link, expiresAt } = firstAdminLink
  if (link === null) {
    return [
      `Tocsin is up: ${url}`,
      `  There is no admin yet. An earlier start printed the link that makes one; it works until ${expiresAt.toISOString()}.`,
      '  If it is lost: npm run tocsin -- admin create --email you@example.com --generate (in the container: tocsin admin create …)',
    ].join('\n')
  }
  return [
    `Tocsin is up: ${url}`,
    '',
    '  There is no admin yet. The first person to open this link becomes one. It works once, for 24 hours:',
    `  ${link}`,
    ...(process.stdout.isTTY
      ? []
      : ['  The journal or log that keeps this output keeps the link too: open it now, before others can read it.']),
    '',
  ].join('\n')
}

/**
 * The first signal stops the server gracefully. A second one, more than a second later, ends the
 * process immediately.
 */
function stopOnSignal(): void {
  if (firstSignalAtMs !== null) {
    if (performance.now() - firstSignalAtMs > SAME_KEY_PRESS_MS) process.exit(EXIT_FAILURE)
    return
  }
  firstSignalAtMs = performance.now()
  setTimeout(() => process.exit(EXIT_FAILURE), noticeMs + STOP_TIMEOUT_MS).unref()
  void shutdown.stopAll().then(() => process.exit(0))
}

/**
 * Stops gracefully after an unhandled error, because the state of the process is then unknown. The
 * exit code makes systemd and Docker start the server again.
 */
function stopAfterCrash(error: unknown): void {
  logCrash(error)
  exitWithFailure(error)
}

function exitWithFailure(reason: unknown): void {
  if (shutdown.signal.aborted) return
  printProblem(reason)
  const code = reason instanceof ConfigError ? EXIT_MISCONFIGURED : EXIT_FAILURE
  setTimeout(() => process.exit(code), noticeMs + STOP_TIMEOUT_MS).unref()
  void shutdown.stopAll().finally(() => process.exit(code))
}

function printLine(text: string): void {
  process.stdout.write(`${text}\n`)
}

/**
 * Prints a problem as one sentence. With LOG_LEVEL=debug, prints the stack frames of an error too.
 */
function printProblem(reason: unknown): void {
  const printsStack = process.env.LOG_LEVEL === 'debug' && reason instanceof Error
  process.stderr.write(`${printsStack ? formatErrorWithStack(reason) : formatError(reason)}\n`)
}

function findWebDir(): string {
  return fileURLToPath(new URL('../../web/dist', import.meta.url))
}
