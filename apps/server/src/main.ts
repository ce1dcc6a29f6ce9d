import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Demo, startDemo } from './embedded/demo.ts'
import { ConfigError, completeConfig, productionParts, readSettings } from './read-config.ts'
import { readVersion } from './read-version.ts'
import { createServer, type RunningServer } from './server.ts'
import { createStops } from './stops.ts'

/**
 * Entry point: environment -> settings -> parts -> configuration -> server -> signals. The only
 * file that uses `process`.
 */
const FAILED = 1
const MISCONFIGURED = 78
/** npm passes Ctrl-C on, so it arrives twice. */
const SAME_KEY_PRESS_MS = 1_000
/**
 * Anything that has not stopped by then is terminated with the process; child processes have
 * watchers.
 */
const STOP_TIMEOUT_MS = 18_000

const stops = createStops(complain)
let signalledAt: number | null = null

async function start(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const settings = readSettings(process.env)
  for (const warning of settings.warnings) say(warning)

  const demo = settings.demo ? await startDemo(settings, say, stops) : null
  const config = completeConfig(settings, demo?.parts ?? productionParts(settings), readVersion(), webDir())
  const server = await stops.keep(createServer(config, demo?.extend ?? {}), ({ close }) => close())
  say(demo ? describeDemo(demo, server) : describeServer(server))
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

function describeDemo({ logins, outboxDir, chainUrl }: Demo, { url }: RunningServer): string {
  return [
    '',
    `  Tocsin is up: ${url}`,
    '  This is a demo: a local chain, play tokens, simulated signals. Nothing here is worth money.',
    '',
    `  Admin      ${url}/admin-auth   ${logins.admin.email}   ${logins.admin.password}`,
    ...logins.users.map(({ email, password }) => `  Trader     ${url}/auth         ${email}   ${password}`),
    `  Mail       ${url}/dev/outbox   (files in ${outboxDir})`,
    `  Chain      ${chainUrl}   id 31337, test mnemonic accounts hold 1,000 ITO each`,
    '',
    '  Ctrl-C stops everything.',
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
  setTimeout(() => process.exit(FAILED), STOP_TIMEOUT_MS).unref()
  void stops.stopAll().then(() => process.exit(0))
}

function fail(reason: unknown): void {
  if (stops.signal.aborted) return
  complain(reason)
  const code = reason instanceof ConfigError ? MISCONFIGURED : FAILED
  setTimeout(() => process.exit(code), STOP_TIMEOUT_MS).unref()
  void stops.stopAll().finally(() => process.exit(code))
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** One sentence; LOG_LEVEL=debug adds the stack. */
function complain(reason: unknown): void {
  const isDebugging = process.env.LOG_LEVEL === 'debug'
  const text = reason instanceof Error ? (isDebugging ? reason.stack : reason.message) : reason
  process.stderr.write(`${String(text)}\n`)
}

function webDir(): string {
  return fileURLToPath(new URL('../../web/dist', import.meta.url))
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stopOnSignal)
process.on('unhandledRejection', fail)
process.on('uncaughtException', fail)
start().catch(fail)
