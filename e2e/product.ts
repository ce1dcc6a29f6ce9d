import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createWriteStream, mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ownEnvironment } from '../scripts/own-environment.mjs'

export interface Product {
  dataDir: string
  url: string
  chainUrl: string
  admin: { email: string; password: string }
  /** A verified account without a plan. */
  trader: { email: string; password: string }
  /** Ends it as Ctrl-C does, or at once and without a chance to tidy up. */
  stop(signal?: 'SIGINT' | 'SIGKILL'): Promise<void>
  /** Starts it again on the same data and ports. */
  start(): Promise<void>
  /** Stops it and deletes its data. */
  discard(): Promise<void>
}

/** Names the folder that prepare-data.ts has made, to the workers. */
export const PREPARED_DATA_DIR = 'PREPARED_DATA_DIR'

const READY_TIMEOUT_MS = 300_000
const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * The built product on its embedded defaults, started the way `npm start` starts it, on ports and
 * data of its own: its second start, when its month of history is there.
 * @param settings what its operator has set besides
 */
export async function startProduct(settings: Record<string, string> = {}): Promise<Product> {
  return startOn(await copyPreparedData(), settings)
}

/** The product's very first start, with nothing there. */
export async function startNewProduct(): Promise<Product> {
  return startOn(await mkdtemp(join(tmpdir(), 'tocsin-journey-')), {})
}

/** A data folder of one's own in which the product was started and stopped once. */
export async function copyPreparedData(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-journey-'))
  // With its owners: where we are root, PostgreSQL runs as whoever its folder belongs to.
  await promisify(execFile)('cp', ['-Rp', `${process.env[PREPARED_DATA_DIR]}/.`, dataDir])
  return dataDir
}

async function startOn(dataDir: string, settings: Record<string, string>): Promise<Product> {
  const [port, chainPort] = await Promise.all([freePort(), freePort()])
  const env = { ...settings, PORT: String(port), LOCAL_CHAIN_PORT: String(chainPort), DATA_DIR: dataDir }
  const admin = { email: 'admin@tocsin.local', password: '' }
  const trader = { email: 'jonas@tocsin.local', password: '' }
  let running: Running | null = null

  const start = async () => {
    running = await run(env, 'Ctrl-C stops everything')
    for (const login of [admin, trader]) login.password = passwordOf(login.email, running.output)
  }
  const stop: Product['stop'] = async (signal) => running?.stop(signal)
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
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export interface Running {
  /** All that it had said when it was up. */
  output: string
  stop(signal?: 'SIGINT' | 'SIGKILL'): Promise<void>
}

/** Starts the built product in this environment and waits until it says that it is up. */
export async function run(env: Record<string, string>, upText: string): Promise<Running> {
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: root,
    env: ownEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  keepOutput(child)
  const output = await waitForLine(child, upText).catch((error) => {
    child.kill('SIGINT')
    throw error
  })
  return {
    output,
    async stop(signal = 'SIGINT') {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill(signal)
      await gone
    },
  }
}

/** After a failed test, the product's own output says what it did. */
function keepOutput(child: ChildProcess): void {
  const folder = join(root, '.cache', 'product-output')
  mkdirSync(folder, { recursive: true })
  const file = createWriteStream(join(folder, `${new Date().toISOString()}-${child.pid}.log`))
  child.stdout?.pipe(file)
  child.stderr?.pipe(file)
}

function passwordOf(email: string, output: string): string {
  const words = output.split(/\s+/)
  return words[words.indexOf(email) + 1] ?? ''
}

function waitForLine(child: ChildProcess, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const timer = setTimeout(
      () => reject(new Error(`The product was not up in time. It said:\n${output}`)),
      READY_TIMEOUT_MS,
    )
    const read = (chunk: Buffer) => {
      output += chunk
      if (!output.includes(text)) return
      clearTimeout(timer)
      resolve(output)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (code) => reject(new Error(`The product ended with ${code}. It said:\n${output}`)))
  })
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('No port')),
      )
    })
  })
}
