import { pino } from 'pino'
import { type EngineProcess, startEngine } from './engine-process.ts'
import { createMonotonicClock, type MonotonicClock } from './monotonic-clock.ts'
import type { EngineParts } from './parts.ts'
import { type Scheduler, systemScheduler } from './scheduler.ts'
import { readSettings, type Settings, SettingsError } from './settings.ts'

const EXIT_FAILURE = 1
const EXIT_MISCONFIGURED = 78
const STOP_TIMEOUT_MS = 10_000

/** Clock and timers, replaced in tests. */
interface Time {
  clock: MonotonicClock
  schedule: Scheduler
}

/** Entry point: environment -> settings -> engine -> signals. Sets the exit codes. */
export function runMain(
  getParts: (settings: Settings) => EngineParts,
  time: Time = { clock: createMonotonicClock(), schedule: systemScheduler },
): void {
  let runningEngine: EngineProcess | null = null
  let isStopping = false

  const start = async () => {
    const settings = readSettings(process.env, process.argv.slice(2))
    for (const warning of settings.warnings) printLine(warning)
    const logger = pino({ level: settings.logLevel })
    runningEngine = await startEngine(settings, getParts(settings), { ...time, logger })
    printLine(`Tocsin's engine is up: ${runningEngine.url}`)
    await runningEngine.finished
    printLine('The recording has been played. The feed stays open.')
  }
  const stop = () => {
    if (isStopping) process.exit(EXIT_FAILURE)
    isStopping = true
    setTimeout(() => process.exit(EXIT_FAILURE), STOP_TIMEOUT_MS).unref()
    const closing = runningEngine?.close() ?? Promise.resolve()
    closing.then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    )
  }
  /** Ends a failed process immediately, because the state on disk is complete at any point. */
  const fail = (reason: unknown) => {
    const text = reason instanceof Error ? (process.env.LOG_LEVEL === 'debug' ? reason.stack : reason.message) : reason
    process.stderr.write(`${String(text)}\n`)
    process.exit(reason instanceof SettingsError ? EXIT_MISCONFIGURED : EXIT_FAILURE)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  process.on('unhandledRejection', fail)
  process.on('uncaughtException', fail)
  start().catch(fail)
}

function printLine(text: string): void {
  process.stdout.write(`${text}\n`)
}
