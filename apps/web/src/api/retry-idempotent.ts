/** Delays between attempts. Their sum is longer than a rolling restart of the server. */
const RETRY_DELAYS_MS = [1_000, 3_000]
/**
 * Statuses that leave the outcome of a call unknown. They come from a proxy, or from a server that
 * is starting or stopping.
 */
const AMBIGUOUS_STATUSES = new Set([502, 503, 504])

/**
 * Idempotency keys of calls with an unknown outcome, so that a second click retries the call
 * instead of creating a duplicate.
 */
const keysByRequest = new Map<string, string>()

/**
 * Sends a call that creates a resource, with an Idempotency-Key. Retries with the same key while
 * the outcome is unknown.
 * @param request identifies the call and its content
 * @throws TypeError if the server is unreachable; AbortError if the request is aborted
 */
export async function retryIdempotent(request: string, send: (key: string) => Promise<Response>): Promise<Response> {
  const key = keysByRequest.get(request) ?? crypto.randomUUID()
  keysByRequest.set(request, key)
  const response = await sendUntilConclusive(() => send(key))
  if (response.status < 500 && !(await isRunning(response))) keysByRequest.delete(request)
  return response
}

async function sendUntilConclusive(send: () => Promise<Response>): Promise<Response> {
  for (const delayMs of RETRY_DELAYS_MS) {
    const response = await send().catch(ignoreNetworkError)
    if (response && !AMBIGUOUS_STATUSES.has(response.status) && !(await isRunning(response))) return response
    await new Promise((resolve) => setTimeout(resolve, delayMs))
  }
  return send()
}

/**
 * `fetch` throws a TypeError for network failures. Other errors, such as an abort, are not retried.
 */
function ignoreNetworkError(error: unknown): null {
  if (error instanceof TypeError) return null
  throw error
}

async function isRunning(response: Response): Promise<boolean> {
  return response.status === 409 && (await response.clone().text()).includes('"idempotency_running"')
}
