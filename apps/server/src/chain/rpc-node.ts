import { custom, type EIP1193RequestFn, http, type Transport } from 'viem'
import { getHttpRpcClient } from 'viem/utils'
import { z } from 'zod'
import { mapLimit } from '../map-limit.ts'

/** What is asked by the hundred when blocks or reported transactions are read, and changes nothing however often it is asked. */
const TOGETHER = new Set([
  'eth_getTransactionReceipt',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
])
/** Calls in one batch (JSON-RPC 2.0, section 6) at first; a node that is not up to it gets smaller ones. */
const MOST = 50
/** Requests of the calls above that are under way at once. */
const REQUESTS_AT_ONCE = 8

interface Call {
  method: string
  params?: unknown
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** One member of an answer to a batch. What is no such thing answers nothing. */
const member = z.object({ id: z.number(), result: z.unknown().optional(), error: z.unknown().optional() })

/**
 * One node over HTTP, each request with a hard timeout. Receipts and blocks that are asked for at the same moment go as a batch. What a batch does
 * not answer plainly is asked by itself, as if there were no batches: those are an economy that no node has to know.
 */
export function rpcNode(url: string, timeoutMs: number): Transport {
  const fetchFn = fetchWithin(timeoutMs)
  const one = http(url, { timeout: timeoutMs, fetchFn, retryCount: 0 })({ retryCount: 0 }).request
  const send = createBatches(one, (calls) => postBatch(url, { timeoutMs, fetchFn }, calls))
  const request = (call: { method: string; params?: unknown }): Promise<unknown> =>
    TOGETHER.has(call.method) ? send(call) : one(call)
  return custom({ request }, { retryCount: 0 })
}

type Fetch = (...request: Parameters<typeof fetch>) => ReturnType<typeof fetch>

/** With a timeout for the whole answer: viem's own ends with the headers, and all reads of a height share one request. */
function fetchWithin(timeoutMs: number): Fetch {
  return (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) })
}

type PostBatch = (calls: readonly { id: number; method: string; params?: unknown }[]) => Promise<unknown>

function postBatch(
  url: string,
  { timeoutMs, fetchFn }: { timeoutMs: number; fetchFn: Fetch },
  calls: Parameters<PostBatch>[0],
): Promise<unknown> {
  const client = getHttpRpcClient(url, { timeout: timeoutMs, fetchFn })
  // Its type is that of one call's answer.
  return client.request({ body: calls.map(({ id, method, params }) => ({ id, method, params })) })
}

function createBatches(one: EIP1193RequestFn, post: PostBatch) {
  const waiting: Call[] = []
  let size = MOST
  let underWay = 0
  let lastId = 0

  const askAlone = async ({ method, params, resolve, reject }: Call): Promise<{ failure: unknown } | null> => {
    try {
      resolve(await one({ method, params }))
      return null
    } catch (failure) {
      reject(failure)
      return { failure }
    }
  }

  async function sendBatch(calls: readonly Call[]): Promise<void> {
    const numbered = calls.map((call) => ({ ...call, id: ++lastId }))
    // Whatever has gone wrong with the batch: what matters is whether the same works without one.
    const results = readBatch(await post(numbered).catch(() => null))
    const [first, ...rest] = numbered.filter(({ id }) => !results.has(id))
    for (const { id, resolve } of numbered) if (results.has(id)) resolve(results.get(id))
    if (!first) {
      size = Math.min(MOST, size + 1)
      return
    }
    const outage = await askAlone(first)
    // The node is out, or has had enough: asking it for the others as well does not help.
    if (outage) {
      for (const { reject } of rest) reject(outage.failure)
      return
    }
    size = Math.max(1, Math.floor(size / 2))
    await mapLimit(REQUESTS_AT_ONCE, rest, askAlone)
  }

  const goOn = () => {
    while (underWay < REQUESTS_AT_ONCE && waiting.length > 0) {
      const [first, ...rest] = waiting.splice(0, size)
      if (!first) return
      underWay += 1
      const asked = rest.length === 0 ? askAlone(first) : sendBatch([first, ...rest])
      void asked.finally(() => {
        underWay -= 1
        goOn()
      })
    }
  }

  return (call: { method: string; params?: unknown }) =>
    new Promise<unknown>((resolve, reject) => {
      waiting.push({ ...call, resolve, reject })
      // When all that is asked for at this moment is here.
      if (waiting.length === 1) setImmediate(goOn)
    })
}

/** Results by the id of their call. An id that was answered twice, or with an error, has none. */
function readBatch(body: unknown): Map<number, unknown> {
  const results = new Map<number, unknown>()
  const seen = new Set<number>()
  for (const item of Array.isArray(body) ? body : []) {
    const { data } = member.safeParse(item)
    if (!data) continue
    const isPlain = (data.error ?? null) === null && data.result !== undefined && !seen.has(data.id)
    if (isPlain) results.set(data.id, data.result)
    else results.delete(data.id)
    seen.add(data.id)
  }
  return results
}
