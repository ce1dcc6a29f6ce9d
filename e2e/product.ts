import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createWriteStream, mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { waitForOutput } from '@tocsin/testkit'
import { ownEnvironment } from '../scripts/own-environment.mjs'
import { startSignalFeed } from './signal-feed.ts'

export interface Product {
  dataDir: string
  url: string
  chainUrl: string
  admin: { email: string; password: string }
  /** A verified account without a plan. */
  trader: { email: string; password: string }
  /** SIGINT (the default) shuts down gracefully, SIGKILL without cleanup. */
  stop(signal?: 'SIGINT' | 'SIGKILL'): Promise<void>
  /** Starts the product again on the same data and ports. */
  start(): Promise<void>
  /** Stops the product and deletes its data. */
  discard(): Promise<void>
}

/** Environment variable that passes the folder made by `prepare-data.ts` to the workers. */
export const PREPARED_DATA_DIR = 'PREPARED_DATA_DIR'

const READY_TIMEOUT_MS = 900_000
const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Starts the built product as `npm start` does, with the embedded database and chain, on free ports
 * and a copy of the prepared data. It reads a feed that sends nothing, because the demo's engine
 * would take CPU time and issue alerts that every open page verifies.
 * @param settings additional environment variables
 */
export async function startProduct(settings: Record<string, string> = {}): Promise<Product> {
  const feed = await startSignalFeed()
  const product = await startProductWithEngine({ FEED_URL: feed.endpoint, ...settings })
  return {
    ...product,
    async discard() {
      await product.discard()
      feed.close()
    },
  }
}

/** Like `startProduct`, with the demo's engine on its simulated market. */
export async function startProductWithEngine(settings: Record<string, string> = {}): Promise<Product> {
  return startOnDataDir(await copyPreparedData(), settings)
}

/**
 * Starts the built product on an empty data folder.
 * @param settings additional environment variables
 */
export async function startNewProduct(settings: Record<string, string> = {}): Promise<Product> {
  return startOnDataDir(await mkdtemp(join(tmpdir(), 'tocsin-e2e-')), settings)
}

/** Copies the prepared data folder, in which the product was started and stopped once. */
export async function copyPreparedData(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-e2e-'))
  // Preserve the file owners: if the product runs as root, it starts PostgreSQL as the owner of the
  // data folder.
  await promisify(execFile)('cp', ['-Rp', `${process.env[PREPARED_DATA_DIR]}/.`, dataDir])
  return dataDir
}

async function startOnDataDir(dataDir: string, settings: Record<string, string>): Promise<Product> {
  const [port, chainPort] = await Promise.all([findFreePort(), findFreePort()])
  const env = { ...settings, PORT: String(port), LOCAL_CHAIN_PORT: String(chainPort), DATA_DIR: dataDir }
  const admin = { email: 'admin@tocsin.local', password: '' }
  const trader = { email: 'jonas@tocsin.local', password: '' }
  let runningProduct: RunningProduct | null = null

  const start = async () => {
    runningProduct = await runProduct(env, 'Ctrl-C stops everything')
    for (const login of [admin, trader]) login.password = findPassword(login.email, runningProduct.output)
  }
  const stop: Product['stop'] = async (signal) => runningProduct?.stop(signal)
  await start()
  return {
    dataDir,
    url: `http://localhost:${port}`,
    chainUrl: `http://127.0.0.1:${chainPort}`,
    admin,
    trader,
    start,
    stop,
    async discard() {
      await stop()
      // Retry: if the product did not stop in time, PostgreSQL outlives it and writes files until
      // it stops.
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 })
    },
  }
}

export interface RunningProduct {
  /** Standard output and standard error up to the ready line. */
  output: string
  stop(signal?: 'SIGINT' | 'SIGKILL'): Promise<void>
}

/** Starts the built product with this environment and waits until it prints `readyText`. */
export async function runProduct(env: Record<string, string>, readyText: string): Promise<RunningProduct> {
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: root,
    env: ownEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  keepOutput(child)
  const { input: output } = await waitForOutput(child, new RegExp(readyText), READY_TIMEOUT_MS).catch((error) => {
    child.kill('SIGINT')
    throw error
  })
  return {
    output,
    async stop(signal = 'SIGINT') {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.kill(signal)
      await exited
    },
  }
}

/** Writes the product's output to a log file, for the analysis of failed tests. */
function keepOutput(child: ChildProcess): void {
  const folder = join(root, '.cache', 'product-output')
  mkdirSync(folder, { recursive: true })
  const file = createWriteStream(join(folder, `${new Date().toISOString()}-${child.pid}.log`))
  // The stream that ends first must not close the file: the other one may still have data.
  for (const stream of [child.stdout, child.stderr]) stream?.pipe(file, { end: false })
  child.once('close', () => file.end())
}

function findPassword(email: string, output: string): string {
  const words = output.split(/\s+/)
  return words[words.indexOf(email) + 1] ?? ''
}
