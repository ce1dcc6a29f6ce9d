import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** The node behind the front. A new `generation` means that it crashed and went back to what was persisted last. */
type ChainNode = {
  generation(): number
  /** Sends a JSON-RPC body, answers the JSON-RPC response text. */
  forward(body: string): Promise<string>
  /** Puts the node's whole state on disk. */
  persist(): Promise<void>
}

type ChainFront = { port: number; persist(): Promise<void>; close(): Promise<void> }

type Job = { run: () => Promise<string>; resolve: (answer: string) => void; reject: (error: Error) => void }
type Outcome = { text: string } | { error: unknown }
type Call = { method: string; id: unknown }

const MAX_BODY_BYTES = 4 * 1024 * 1024
const MINED_TIMEOUT_MS = 2_000
const RETRY_LATER = 'The local chain was interrupted; send the request again.'

/**
 * A JSON-RPC server on the loopback interface that lets no answer out before the state it speaks of is on disk. A
 * caller therefore never learns of a block, receipt or balance that a crash could take back. Requests that change
 * something go one group after the other, each group followed by one write to disk; the others run beside them.
 */
export async function openChainFront(options: { port: number; node: ChainNode }): Promise<ChainFront> {
  const barrier = createBarrier(options.node)
  const server = createServer((request, response) => {
    void answer(request, response, options.node, barrier)
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
  let waiting: Job[] = []
  /** The group under way; true when what it did is on disk. */
  let group: Promise<boolean> | undefined
  let isDirty = false

  const settleGroup = async (jobs: Job[]): Promise<boolean> => {
    const generation = node.generation()
    isDirty = true
    const outcomes: Outcome[] = []
    for (const job of jobs) outcomes.push(await job.run().then((text) => ({ text }), asFailure))
    const failure = await node.persist().then(() => undefined, asFailure)
    const isSaved = failure === undefined && node.generation() === generation
    if (isSaved) isDirty = false
    jobs.forEach((job, index) => {
      const outcome = outcomes[index]
      if (isSaved && outcome && 'text' in outcome) job.resolve(outcome.text)
      else job.reject(new Error(RETRY_LATER))
    })
    return isSaved
  }
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const jobs = waiting
      waiting = []
      group = settleGroup(jobs)
      await group
    }
    group = undefined
  }
  const write = (run: () => Promise<string>): Promise<string> =>
    new Promise((resolve, reject) => {
      waiting.push({ run, resolve, reject })
      if (group === undefined) void drain()
    })
  const read = async (run: () => Promise<string>): Promise<string> => {
    const generation = node.generation()
    const text = await run()
    // What was read may come from the group under way, or from one that could not be saved.
    const isSaved = await (group ?? !isDirty)
    if (!isSaved) await write(async () => '')
    if (node.generation() !== generation) throw new Error(RETRY_LATER)
    return text
  }
  return { read, write }
}

async function answer(
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
  if (body === undefined || calls === undefined) return send(errorText(null, -32700, 'This is no JSON-RPC request.'))
  const id = calls.length === 1 ? calls[0]?.id : null
  // Any web page may reach the loopback interface through its visitor's browser; steering the chain is for programs.
  if (request.headers.origin?.startsWith('http') && calls.some((call) => !/^(eth|net|web3)_/.test(call.method))) {
    return send(errorText(id, -32601, 'Web pages may only call eth_, net_ and web3_ methods.'))
  }
  try {
    send(
      await (calls.some(changesState)
        ? barrier.write(() => settle(node, body))
        : barrier.read(() => node.forward(body))),
    )
  } catch {
    send(errorText(id, -32603, RETRY_LATER))
  }
}

// Setting the next block's time is forgotten by a crash anyway; the block that uses it is what gets saved.
function changesState({ method }: Call): boolean {
  return /^(eth_send|anvil_|evm_|hardhat_)/.test(method) && method !== 'evm_setNextBlockTimestamp'
}

/** Forwards, then waits until the transactions that were sent are mined: the pool is not part of the saved state. */
async function settle(node: ChainNode, body: string): Promise<string> {
  const text = await node.forward(body)
  const answers: unknown = JSON.parse(text)
  const deadline = performance.now() + MINED_TIMEOUT_MS
  for (const each of Array.isArray(answers) ? answers : [answers]) {
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

function errorText(id: unknown, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message } })
}

function asFailure(error: unknown): { error: unknown } {
  return { error }
}

function describeListenError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') return error
  const why = error.code === 'EACCES' ? 'may not be used by this user' : 'is in use by another program'
  return new Error(
    `Port ${port}, wanted for the local chain, ${why}. Free it, or set LOCAL_CHAIN_PORT to another port.`,
  )
}
