import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { localChainId } from '@tocsin/protocol'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { startChainProxy } from './chain-proxy.ts'
import { type RunningChild, readLogTail, startChild } from './child-process.ts'
import { type Supervised, supervise } from './supervise.ts'

export type LocalChain = Supervised & {
  /** http://127.0.0.1:port of the proxy, whose responses reflect only state that is on disk. */
  url: string
  /**
   * URL of the node without the proxy, for building history. Requests are fast, but changes can be
   * lost until `persist` has resolved.
   */
  directUrl: string
  persist(): Promise<void>
  /**
   * Sets the clock of the chain to the present. From then on, an empty block is mined whenever the
   * last one is 30 s old.
   */
  followClock(): Promise<void>
}

/** The well-known test mnemonic of local chains. Its accounts must not be used elsewhere. */
export const testMnemonic = 'test test test test test test test test test test test junk'

const READY_TIMEOUT_MS = 60_000
const CALL_TIMEOUT_MS = 30_000
const PROBE_TIMEOUT_MS = 10_000
const MAX_HEAD_AGE_MS = 30_000
const HEAD_CHECK_MS = 5_000

/**
 * Runs a local chain (anvil) on the loopback interface with its state in `dir`. It ends with this
 * process, even if this process is killed, and restarts from its saved state after a crash.
 * Transactions are mined as soon as they are sent.
 * @param options.genesisAt time of the first block. The clock then stays at the last block until
 * `followClock` is called, so that history can be mined with evm_setNextBlockTimestamp, even after
 * an interruption.
 */
export async function startLocalChain(options: {
  dir: string
  /** Port of the chain. 0 selects a free port. */
  port: number
  chainId?: number
  genesisAt?: Date
  onProgress?: (message: string) => void
}): Promise<LocalChain> {
  const { chainId = localChainId, onProgress = () => {} } = options
  const dir = resolve(options.dir)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const stateFile = join(dir, 'state.json.gz')
  const nodePort = await findFreePort()
  const directUrl = `http://127.0.0.1:${nodePort}`
  let generation = 0
  let isInPast = options.genesisAt !== undefined
  const node = {
    generation: () => generation,
    forward: (body: string) => postRpc(directUrl, body),
    persist: () => saveState(directUrl, stateFile),
  }
  const proxy = await startChainProxy({ port: options.port, node })
  const start = async (): Promise<RunningChild> => {
    generation += 1
    const child = await startAnvil({ ...options, dir, chainId, stateFile, port: nodePort })
    if (isInPast) await callRpc(directUrl, 'evm_setTime', [await readHeadTime(directUrl)])
    return child
  }
  const isAnswering = () =>
    callRpc(directUrl, 'eth_chainId', [], PROBE_TIMEOUT_MS).then(
      () => true,
      () => false,
    )
  const supervised = await supervise('The local chain', start, onProgress, { isAnswering }).catch(async (error) => {
    await proxy.close()
    throw error
  })
  const url = `http://127.0.0.1:${proxy.port}`
  let heartbeat: NodeJS.Timeout | undefined
  return {
    url,
    directUrl,
    persist: proxy.persist,
    exited: supervised.exited,
    async followClock() {
      isInPast = false
      await mineAtPresentTime(url)
      heartbeat = setInterval(() => void mineIfQuiet(url).catch(() => {}), HEAD_CHECK_MS)
    },
    async stop() {
      clearInterval(heartbeat)
      await proxy.close()
      await supervised.stop()
    },
  }
}

type AnvilOptions = { dir: string; stateFile: string; port: number; chainId: number; genesisAt?: Date }

async function startAnvil(options: AnvilOptions): Promise<RunningChild> {
  const { dir, stateFile, port } = options
  const logFile = join(dir, 'anvil.log')
  const loadedFile = join(dir, 'loading.json')
  const hasState = existsSync(stateFile)
  if (hasState) writeFileSync(loadedFile, unpackState(stateFile), { mode: 0o600 })
  // Set a genesis time only if there is no saved state. It would set the clock of a saved chain
  // back.
  const genesis = options.genesisAt ? ['--timestamp', String(Math.floor(options.genesisAt.getTime() / 1000))] : []
  const child = await startChild({
    command: findAnvil(),
    args: [
      ...['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(options.chainId)],
      // Without this limit, old states would fill the user's home with gigabytes. Blocks,
      // transactions and receipts are stored regardless.
      ...['--max-persisted-states', '0', '--cache-path', 'cache'],
      ...['--mnemonic', testMnemonic, '--quiet', ...(hasState ? ['--load-state', 'loading.json'] : genesis)],
    ],
    cwd: dir,
    stopSignal: 'SIGTERM',
    pidFile: join(dir, 'anvil.pid'),
    logFile,
  })
  const failure = await waitUntilReady(`http://127.0.0.1:${port}`, child, options.chainId)
  rmSync(loadedFile, { force: true })
  if (failure === undefined) return child
  await child.stop()
  const logTail = readLogTail(logFile, child.logStart)
  throw new Error(`The local chain doesn't start (${failure}). Its log ${logFile} ends with:\n${logTail}`)
}

function unpackState(stateFile: string): Buffer {
  try {
    return gunzipSync(readFileSync(stateFile))
  } catch (error) {
    throw new Error(
      `The local chain's state ${stateFile} is damaged (${String(error)}). Restore it from a backup, or delete the ` +
        'whole data folder to begin with a new demo.',
    )
  }
}

/** Returns the path of the program in its npm package. */
export function findAnvil(): string {
  const platform = process.platform === 'win32' ? 'win32' : process.platform
  const name = `@foundry-rs/anvil-${platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'))
    return join(dirname(require.resolve(`${name}/package.json`)), 'bin/anvil')
  } catch {
    throw new Error(
      `The package ${name} is not installed, so there is no local chain here. Run "npm install" again, or set ` +
        'PAYMENT_RPC_URL and ANCHOR_RPC_URL to nodes of your own.',
    )
  }
}

async function waitUntilReady(url: string, child: RunningChild, chainId: number): Promise<string | undefined> {
  let exitReason: string | undefined
  void child.exited.then((how) => {
    exitReason = how
  })
  const deadline = performance.now() + READY_TIMEOUT_MS
  while (exitReason === undefined) {
    if (performance.now() > deadline) return `no response within ${READY_TIMEOUT_MS / 1000} s`
    const chainIdAnswer = await callRpc(url, 'eth_chainId', []).catch(() => undefined)
    if (chainIdAnswer === `0x${chainId.toString(16)}`) return undefined
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return exitReason
}

/**
 * Writes a temporary file, syncs it and renames it, so that a complete state exists at all times.
 */
async function saveState(url: string, stateFile: string): Promise<void> {
  const dump = await callRpc(url, 'anvil_dumpState', [])
  if (typeof dump !== 'string' || !dump.startsWith('0x1f8b')) throw new Error('The local chain returned no state')
  const draft = `${stateFile}.draft`
  const file = await open(draft, 'w', 0o600)
  await file.writeFile(Buffer.from(dump.slice(2), 'hex'))
  await file.sync()
  await file.close()
  await rename(draft, stateFile)
  const folderHandle = await open(dirname(stateFile), 'r')
  await folderHandle.sync()
  await folderHandle.close()
}

/** Mines a block at the present time, from which the clock continues. */
async function mineAtPresentTime(url: string): Promise<void> {
  await callRpc(url, 'evm_setNextBlockTimestamp', [Math.max(await readHeadTime(url), Math.floor(Date.now() / 1000))])
  await callRpc(url, 'evm_mine', [])
}

async function mineIfQuiet(url: string): Promise<void> {
  const headAgeMs = Date.now() - (await readHeadTime(url)) * 1000
  if (headAgeMs >= MAX_HEAD_AGE_MS) await callRpc(url, 'evm_mine', [])
}

/** Returns the time of the newest block in Unix seconds. */
async function readHeadTime(url: string): Promise<number> {
  const head = await callRpc(url, 'eth_getBlockByNumber', ['latest', false])
  if (typeof head !== 'object' || head === null || !('timestamp' in head)) throw new Error('the chain has no block')
  return Number(head.timestamp)
}

async function callRpc(url: string, method: string, params: unknown[], timeoutMs = CALL_TIMEOUT_MS): Promise<unknown> {
  const response = JSON.parse(await postRpc(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), timeoutMs))
  if (response.error) throw new Error(`${method}: ${response.error.message}`)
  return response.result
}

async function postRpc(url: string, body: string, timeoutMs = CALL_TIMEOUT_MS): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal })
  return response.text()
}
