import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SECOND_MS } from '@tocsin/protocol/durations'
import { logCrash } from './logger.ts'
import { ConfigError, completeConfig, type Parts, productionParts, readSettings, type Settings } from './read-config.ts'
import { readVersion } from './read-version.ts'
import { createServer, type Extensions, type RunningServer } from './server.ts'
import { createStops, type Stops } from './stops.ts'
import { startTracing } from './tracing.ts'

/** A running demo, which supplies what the environment of an unconfigured machine lacks. */
export interface Demo {
  parts: Parts
  /** Demo parts of the server: the seed that runs before it listens, and the demo's routes. */
  extend: Extensions
  /** The text for the terminal once the server is up. */
  describe(url: string): string
  /** Resolves to an error message when a part of the demo has failed permanently. */
  exited: Promise<string>
}

/** Registers a stop function for every started part in `stops`, even if a later part fails. */
export type StartDemo = (settings: Settings, say: (line: string) => void, stops: Stops) => Promise<Demo>

const FAILED = 1
const MISCONFIGURED = 78
/** npm passes Ctrl-C on, so it arrives twice. */
const SAME_KEY_PRESS_MS = 1_000
/**
 * The process exits this long after the notice, even if parts of it have not stopped. Child
 * processes are ended by their watchers.
 */
const STOP_TIMEOUT_MS = 17_000

const stops = createStops(printProblem)
let signalledAt: number | null = null
/** How long a stopping server still accepts connections. */
let noticeMs = 0

/**
 * Runs the server in this process: environment -> settings -> parts -> configuration -> server ->
 * signals. The only file that uses `process`.
 * @param startDemo used if no real chain is configured. Null for an installation without the demo:
 * all settings are then required.
 */
export function runServer(startDemo: StartDemo | null): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stopOnSignal)
  process.on('unhandledRejection', crash)
  process.on('uncaughtException', crash)
  start(startDemo).catch(fail)
}

async function start(startDemo: StartDemo | null): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const settings = readSettings(process.env, { hasDemo: startDemo !== null })
  for (const warning of settings.warnings) printLine(warning)
  noticeMs = (settings.set.DRAIN_NOTICE_SECONDS ?? 0) * SECOND_MS

  await stops.keep(startTracing(process.env, readVersion(), settings.port), (end) => end())
  const demo = settings.demo && startDemo ? await startDemo(settings, printLine, stops) : null
  const config = completeConfig(settings, demo?.parts ?? productionParts(settings), readVersion(), webDir())
  const server = await stops.keep(createServer(config, demo?.extend ?? {}), ({ close }) => close())
  printLine(demo ? demo.describe(server.url) : describeServer(server))
  if (demo) fail(await demo.exited)
}

/** Printed to the terminal and not logged, because the link opens the admin area. */
function describeServer({ url, firstAdminLink }: RunningServer): string {
  if (!firstAdminLink) return `Tocsin is up: ${url}`
  const { link, expiresAt } = firstAdminLink
  if (link === null) {
    return [
      `Tocsin is up: ${url}`,
      `  There is no admin yet. An earlier start printed the link that makes one; it works until ${expiresAt.toISOString()}.`,
      '  If it is lost: npm run tocsin -- admin create --email you@example.com --generate',
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

/** The first signal stops gracefully; a second one exits at once. */
function stopOnSignal(): void {
  if (signalledAt !== null) {
    if (performance.now() - signalledAt > SAME_KEY_PRESS_MS) process.exit(FAILED)
    return
  }
  signalledAt = performance.now()
  setTimeout(() => process.exit(FAILED), noticeMs + STOP_TIMEOUT_MS).unref()
  void stops.stopAll().then(() => process.exit(0))
}

/**
 * The state of the process is unknown after an error that nothing handled: stops gracefully with a
 * code that makes systemd and Docker start it again.
 */
function crash(error: unknown): void {
  logCrash(error)
  fail(error)
}

function fail(reason: unknown): void {
  if (stops.signal.aborted) return
  printProblem(reason)
  const code = reason instanceof ConfigError ? MISCONFIGURED : FAILED
  setTimeout(() => process.exit(code), STOP_TIMEOUT_MS).unref()
  void stops.stopAll().finally(() => process.exit(code))
}

function printLine(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** One sentence; LOG_LEVEL=debug adds the stack. */
function printProblem(reason: unknown): void {
  const isDebugging = process.env.LOG_LEVEL === 'debug'
  const text = reason instanceof Error ? (isDebugging ? reason.stack : reason.message) : reason
  process.stderr.write(`${String(text)}\n`)
}

function webDir(): string {
  return fileURLToPath(new URL('../../web/dist', import.meta.url))
}
