import { custom, type EIP1193RequestFn, http, type Transport } from 'viem'
import { getHttpRpcClient } from 'viem/utils'
import { z } from 'zod'
import { mapLimit } from '../map-limit.ts'
import { rpcRequestSeconds } from '../metrics.ts'

/** Methods that are called in large numbers and have no side effects. */
const BATCHED_METHODS = new Set([
  'eth_getTransactionReceipt',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
])
/**
 * Initial and largest batch size (JSON-RPC 2.0, section 6). The size is halved if the response to a
 * batch is incomplete but a single call then succeeds. The size grows by one with each complete
 * response.
 */
const MAX_BATCH_SIZE = 50
/** Maximum number of concurrent requests for the batched methods. */
const MAX_CONCURRENT_REQUESTS = 8

interface Call {
  method: string
  params?: unknown
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** One response of a batch. Malformed responses count as missing. */
const member = z.object({ id: z.number(), result: z.unknown().optional(), error: z.unknown().optional() })

/**
 * Transport for one node over HTTP, with a hard timeout per request. Concurrent reads of receipts
 * and blocks are sent as a batch. Calls without a valid response in the batch are sent again as
 * single calls, so nodes need not support batches.
 */
export function createNodeTransport(url: string, timeoutMs: number): Transport {
  const fetchFn = fetchWithin(url, timeoutMs)
  const requestSingle = http(url, { timeout: timeoutMs, fetchFn, retryCount: 0 })({ retryCount: 0 }).request
  const send = createBatches(requestSingle, (calls) => postBatch(url, { timeoutMs, fetchFn }, calls))
  const request = (call: { method: string; params?: unknown }): Promise<unknown> =>
    BATCHED_METHODS.has(call.method) ? send(call) : requestSingle(call)
  return custom({ request }, { retryCount: 0 })
}

type Fetch = (...request: Parameters<typeof fetch>) => ReturnType<typeof fetch>

type StopTimer = (labels: { outcome: string }) => unknown

/**
 * Returns a `fetch` whose timeout includes the response body, which viem's own timeout does not
 * cover. Measures the duration of each request until the end of its response. The metric is
 * labelled only with the host of the node, because the path can contain the operator's key.
 */
function fetchWithin(url: string, timeoutMs: number): Fetch {
  const node = new URL(url).host
  return async (input, init) => {
    const stopTimer: StopTimer = rpcRequestSeconds.startTimer({ node })
    try {
      const response = await fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) })
      return new Response(toStream(readBody(response, stopTimer)), response)
    } catch (error) {
      stopTimer({ outcome: describeFailure(error) })
      throw error
    }
  }
}

/**
 * Reads the body in chunks, because viem stops reading a body that is too large. Stops the timer at
 * the end.
 */
async function* readBody({ body, ok }: Response, stopTimer: StopTimer): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let outcome = 'http_error'
  try {
    yield* body ?? []
    if (ok) outcome = 'ok'
  } catch (error) {
    outcome = describeFailure(error)
    throw error
  } finally {
    stopTimer({ outcome })
  }
}

/** Like `ReadableStream.from`, which the types of browsers lack. */
function toStream(chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>) {
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => void chunks.return(undefined),
  })
}

const describeFailure = (error: unknown) =>
  error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'unreachable'

type PostBatch = (calls: readonly { id: number; method: string; params?: unknown }[]) => Promise<unknown>

function postBatch(
  url: string,
  { timeoutMs, fetchFn }: { timeoutMs: number; fetchFn: Fetch },
  calls: Parameters<PostBatch>[0],
): Promise<unknown> {
  const client = getHttpRpcClient(url, { timeout: timeoutMs, fetchFn })
  // viem types the response as that of a single call, but it is an array. So `readBatch` validates
  // it.
  return client.request({ body: calls.map(({ id, method, params }) => ({ id, method, params })) })
}

function createBatches(requestSingle: EIP1193RequestFn, postCalls: PostBatch) {
  const waitingCalls: Call[] = []
  let size = MAX_BATCH_SIZE
  let runningRequestCount = 0
  let lastId = 0

  const sendSingle = async ({ method, params, resolve, reject }: Call): Promise<{ failure: unknown } | null> => {
    try {
      resolve(await requestSingle({ method, params }))
      return null
    } catch (failure) {
      reject(failure)
      return { failure }
    }
  }

  async function sendBatch(calls: readonly Call[]): Promise<void> {
    const numberedCalls = calls.map((call) => ({ ...call, id: ++lastId }))
    // After any error, the calls without a result are sent again without a batch, the first one
    // before the others.
    const results = readBatch(await postCalls(numberedCalls).catch(() => null))
    const [first, ...rest] = numberedCalls.filter(({ id }) => !results.has(id))
    for (const { id, resolve } of numberedCalls) if (results.has(id)) resolve(results.get(id))
    if (!first) {
      size = Math.min(MAX_BATCH_SIZE, size + 1)
      return
    }
    const outage = await sendSingle(first)
    // The node is down or rate limiting, so sending the other calls does not help.
    if (outage) {
      for (const { reject } of rest) reject(outage.failure)
      return
    }
    size = Math.max(1, Math.floor(size / 2))
    await mapLimit(MAX_CONCURRENT_REQUESTS, rest, sendSingle)
  }

  const sendWaiting = () => {
    while (runningRequestCount < MAX_CONCURRENT_REQUESTS && waitingCalls.length > 0) {
      const [first, ...rest] = waitingCalls.splice(0, size)
      if (!first) return
      runningRequestCount += 1
      const sentBatch = rest.length === 0 ? sendSingle(first) : sendBatch([first, ...rest])
      void sentBatch.finally(() => {
        runningRequestCount -= 1
        sendWaiting()
      })
    }
  }

  return (call: { method: string; params?: unknown }) =>
    new Promise<unknown>((resolve, reject) => {
      waitingCalls.push({ ...call, resolve, reject })
      // Deferred, so that all calls made in this tick share a batch.
      if (waitingCalls.length === 1) setImmediate(sendWaiting)
    })
}

/** Returns the results by call id. Calls with duplicate ids or errors have no result. */
function readBatch(body: unknown): Map<number, unknown> {
  const results = new Map<number, unknown>()
  const seenIds = new Set<number>()
  for (const item of Array.isArray(body) ? body : []) {
    const { data } = member.safeParse(item)
    if (!data) continue
    const isValidResult = (data.error ?? null) === null && data.result !== undefined && !seenIds.has(data.id)
    if (isValidResult) results.set(data.id, data.result)
    else results.delete(data.id)
    seenIds.add(data.id)
  }
  return results
}
