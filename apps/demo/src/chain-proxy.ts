import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isPublicChainMethod } from './public-chain-methods.ts'

/**
 * The node behind the proxy. `generation` changes when it crashes and restarts from its last
 * persisted state.
 */
type ChainNode = {
  generation(): number
  /** Forwards a JSON-RPC request body and returns the response text. */
  forward(body: string): Promise<string>
  /** Writes the node's complete state to disk. */
  persist(): Promise<void>
}

type ChainProxy = { port: number; persist(): Promise<void>; close(): Promise<void> }

type Job = { run: () => Promise<string>; resolve: (response: string) => void; reject: (error: Error) => void }
type Result = { text: string } | { error: unknown }
type Call = { method: string; id: unknown }

const MAX_BODY_BYTES = 4 * 1024 * 1024
const MINED_TIMEOUT_MS = 2_000
const RETRY_LATER_MESSAGE = 'The local chain was interrupted; send the request again.'

/**
 * A JSON-RPC proxy on the loopback interface that returns a response only after the state it
 * reflects is on disk. A caller therefore never sees a block, receipt or balance that a crash could
 * undo. Requests that change state run in batches, one batch at a time, each followed by one write
 * to disk. Other requests run concurrently.
 */
export async function startChainProxy(options: { port: number; node: ChainNode }): Promise<ChainProxy> {
  const barrier = createBarrier(options.node)
  const server = createServer((request, response) => {
    void handleRequest(request, response, options.node, barrier)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(describeListenError(error, options.port)))
    server.listen(options.port, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : options.port
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return { port, persist: async () => void (await barrier.write(async () => '')), close }
}

type Barrier = {
  read(run: () => Promise<string>): Promise<string>
  write(run: () => Promise<string>): Promise<string>
}

function createBarrier(node: ChainNode): Barrier {
  let waitingJobs: Job[] = []
  /** The running batch. Resolves to true when its changes are on disk. */
  let runningGroup: Promise<boolean> | undefined
  let isDirty = false

  const runGroup = async (jobs: Job[]): Promise<boolean> => {
    const generation = node.generation()
    isDirty = true
    const results: Result[] = []
    for (const job of jobs) results.push(await job.run().then((text) => ({ text }), toFailure))
    const failure = await node.persist().then(() => undefined, toFailure)
    const isSaved = failure === undefined && node.generation() === generation
    if (isSaved) isDirty = false
    jobs.forEach((job, index) => {
      const result = results[index]
      if (isSaved && result && 'text' in result) job.resolve(result.text)
      else job.reject(new Error(RETRY_LATER_MESSAGE))
    })
    return isSaved
  }
  const drain = async (): Promise<void> => {
    while (waitingJobs.length > 0) {
      const jobs = waitingJobs
      waitingJobs = []
      runningGroup = runGroup(jobs)
      await runningGroup
    }
    runningGroup = undefined
  }
  const write = (run: () => Promise<string>): Promise<string> =>
    new Promise((resolve, reject) => {
      waitingJobs.push({ run, resolve, reject })
      if (runningGroup === undefined) void drain()
    })
  const readSavedState = async (run: () => Promise<string>): Promise<string> => {
    const generation = node.generation()
    const text = await run()
    // The response may reflect changes of the running batch, or of a batch that could not be saved.
    // Wait until they are on disk.
    const isSaved = await (runningGroup ?? !isDirty)
    if (!isSaved) await write(async () => '')
    if (node.generation() !== generation) throw new Error(RETRY_LATER_MESSAGE)
    return text
  }
  return { read: readSavedState, write }
}

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  node: ChainNode,
  barrier: Barrier,
): Promise<void> {
  const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'content-type' }
  if (request.method !== 'POST') {
    response.writeHead(request.method === 'OPTIONS' ? 204 : 405, headers).end()
    return
  }
  const body = await readBody(request).catch(() => undefined)
  const calls = body === undefined ? undefined : parseCalls(body)
  const send = (text: string): void => {
    response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(text)
  }
  if (body === undefined || calls === undefined) return send(formatRpcError(null, -32700, 'Invalid JSON-RPC request.'))
  const id = calls.length === 1 ? calls[0]?.id : null
  // Any web page can reach the loopback interface through its visitor's browser, so pages must not
  // control the chain. Browsers send an Origin with every POST: `null` for a sandboxed page.
  if (request.headers.origin !== undefined && !calls.every(({ method }) => isPublicChainMethod(method))) {
    return send(formatRpcError(id, -32601, 'Web pages may only read the chain and send signed transactions.'))
  }
  try {
    send(
      await (calls.some(changesState)
        ? barrier.write(() => forwardUntilMined(node, body))
        : barrier.read(() => node.forward(body))),
    )
  } catch {
    send(formatRpcError(id, -32603, RETRY_LATER_MESSAGE))
  }
}

// Excludes evm_setNextBlockTimestamp: a crash loses this time even if the state is saved, and the
// block that uses the time is saved.
function changesState({ method }: Call): boolean {
  return /^(eth_send|anvil_|evm_|hardhat_)/.test(method) && method !== 'evm_setNextBlockTimestamp'
}

/**
 * Forwards a request and waits until its transactions are mined, because the saved state excludes
 * the mempool.
 */
async function forwardUntilMined(node: ChainNode, body: string): Promise<string> {
  const text = await node.forward(body)
  const responses: unknown = JSON.parse(text)
  const deadline = performance.now() + MINED_TIMEOUT_MS
  for (const each of Array.isArray(responses) ? responses : [responses]) {
    const hash: unknown = each?.result
    if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/.test(hash)) continue
    const query = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'eth_getTransactionByHash', params: [hash] })
    while (performance.now() < deadline) {
      const transaction = JSON.parse(await node.forward(query)).result
      if (!transaction || transaction.blockHash) break
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
  return text
}

function parseCalls(body: string): Call[] | undefined {
  try {
    const parsed: unknown = JSON.parse(body)
    const calls: unknown[] = Array.isArray(parsed) ? parsed : [parsed]
    return calls.map((call) => {
      if (typeof call !== 'object' || call === null || !('method' in call) || typeof call.method !== 'string') {
        throw new Error('no method')
      }
      return { method: call.method, id: 'id' in call ? call.id : null }
    })
  } catch {
    return undefined
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Error('too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function formatRpcError(id: unknown, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message } })
}

function toFailure(error: unknown): { error: unknown } {
  return { error }
}

function describeListenError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') return error
  const reason = error.code === 'EACCES' ? 'may not be used by this user' : 'is in use by another program'
  return new Error(
    `Port ${port}, wanted for the local chain, ${reason}. Free it, or set LOCAL_CHAIN_PORT to another port.`,
  )
}
