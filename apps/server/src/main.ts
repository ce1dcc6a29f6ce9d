import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Demo, startDemo } from './embedded/demo.ts'
import { completeConfig, productionParts, readSettings } from './read-config.ts'
import { createServer, type RunningServer } from './server.ts'

/** Environment -> settings -> parts -> configuration -> server -> signals. The only file that touches `process`. */
const FAILED = 1
const MISCONFIGURED = 78

const stops: (() => Promise<void>)[] = []
let stopping: Promise<void> | null = null

async function start(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const settings = readSettings(process.env)
  for (const warning of settings.warnings) say(warning)

  const demo = settings.demo ? await startDemo(settings, say, stops) : null
  const config = completeConfig(settings, demo?.parts ?? productionParts(settings), readVersion(), webDir())
  const server = await createServer(config, demo?.extend ?? {})
  stops.push(server.close)
  say(demo ? describeDemo(demo, server) : `Tocsin is up: ${server.url}`)
  if (demo) fail(await demo.exited)
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

/** Stops what was started, newest first. A second signal does not wait. */
function stop(): Promise<void> {
  stopping ??= (async () => {
    for (const stopPart of stops.reverse()) await stopPart().catch((error: unknown) => say(String(error)))
  })()
  return stopping
}

function fail(reason: unknown): never | void {
  if (stopping) return
  say(
    reason instanceof Error && reason.name !== 'ConfigError' && process.env.LOG_LEVEL === 'debug'
      ? String(reason.stack)
      : sentenceOf(reason),
  )
  const code = reason instanceof Error && reason.name === 'ConfigError' ? MISCONFIGURED : FAILED
  void stop().finally(() => process.exit(code))
}

function sentenceOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

function webDir(): string {
  return fileURLToPath(new URL('../../web/dist', import.meta.url))
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return String(version)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (stopping) process.exit(FAILED)
    void stop().then(() => process.exit(0))
  })
}
process.on('unhandledRejection', fail)
process.on('uncaughtException', fail)
start().catch(fail)
