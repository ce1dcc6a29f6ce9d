import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { readLogTail, startChild } from './child-process.ts'
import { type PastMessage, readHistory } from './engine-history.ts'
import { supervise } from './supervise.ts'

export interface DemoEngine {
  /** ws:// URL of the engine's signal feed. It stays the same when the engine is restarted. */
  endpoint: string
  /**
   * Yields the messages that the engine generates for the past, oldest first, as soon as it writes
   * them.
   * @throws Error if the engine has failed permanently
   */
  history(signal: AbortSignal): AsyncIterable<PastMessage[]>
  /** Resolves when the engine serves its feed. Rejects if the engine fails permanently first. */
  up: Promise<void>
  stop(): Promise<void>
}

const POLL_MS = 50
const PROBE_TIMEOUT_MS = 10_000

/**
 * Runs the engine as a separate process. A crash of the engine does not affect the server; the
 * engine is restarted and continues from its data folder. The first start replays the market
 * history, which takes seconds.
 */
export async function startDemoEngine({
  dir,
  key,
  engineEnv,
  onProgress,
}: {
  dir: string
  key: string
  /** Environment variables that select the engine's market. */
  engineEnv: Record<string, string>
  onProgress(message: string): void
}): Promise<DemoEngine> {
  const folder = resolve(dir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const port = await findFreePort()
  const logFile = join(folder, 'engine.log')
  const failure = new AbortController()
  let logStart = 0
  let isUp = false

  const start = async () => {
    isUp = false
    const child = await startChild({
      command: process.execPath,
      args: getEngineArguments(),
      cwd: folder,
      env: {
        ENGINE_PORT: String(port),
        ENGINE_KEY: key,
        ...engineEnv,
        ENGINE_DATA: '.',
        LOG_LEVEL: 'warn',
      },
      stopSignal: 'SIGTERM',
      pidFile: join(folder, 'engine.pid'),
      logFile,
    })
    logStart = child.logStart
    return child
  }
  const isServing = () =>
    fetch(`http://127.0.0.1:${port}/status`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    }).then(
      ({ ok }) => ok,
      () => false,
    )
  // The engine replays the past before it listens, so a failed probe counts only after the first
  // successful one.
  const isAnswering = async () => {
    if (!(await isServing())) return !isUp
    isUp = true
    return true
  }
  const supervised = await supervise('The engine', start, onProgress, { isAnswering })
  void supervised.exited.then((reason) => {
    failure.abort(new Error(`${reason} Its log ${logFile} ends with:\n${readLogTail(logFile, logStart)}`))
    onProgress(`${reason} No signals arrive until the next start.`)
  })
  const waitUntilUp = async () => {
    while (!(await isServing())) {
      failure.signal.throwIfAborted()
      await new Promise((next) => setTimeout(next, POLL_MS))
    }
  }
  const whenUp = waitUntilUp()
  whenUp.catch(() => {})
  return {
    endpoint: `ws://127.0.0.1:${port}`,
    history: (signal) => readHistory(folder, AbortSignal.any([signal, failure.signal])),
    up: whenUp,
    async stop() {
      failure.abort(new Error('The engine was stopped'))
      await supervised.stop()
    },
  }
}

/**
 * Returns the Node.js arguments that start the bundled engine, or the engine's sources if the demo
 * itself runs from sources.
 */
function getEngineArguments(): string[] {
  if (!import.meta.url.endsWith('.ts')) return [fileURLToPath(new URL('../../engine/dist/main.js', import.meta.url))]
  const main = new URL('../../engine/src/main.ts', import.meta.url)
  return ['--import', import.meta.resolve('tsx'), fileURLToPath(main)]
}
