import type { Scheduler } from '../scheduler.ts'

export interface RestClient {
  /**
   * Returns the body of a page. Requests run one after the other.
   * @param pauseMs minimum time until the next request, for pages with another rate limit
   * @throws RestError
   */
  get(path: string, pauseMs?: number): Promise<string>
  /**
   * Newest time that the exchange has stated in a response (Date header), in ms since 1970. 0
   * before the first one.
   */
  statedMs(): number
}

export class RestError extends Error {
  /** Status of the response. 0 if there was no response. */
  readonly status: number

  constructor(message: string, status = 0) {
    super(message)
    this.name = 'RestError'
    this.status = status
  }
}

const TIMEOUT_MS = 5_000
const MAX_BYTES = 4 * 1024 * 1024
const MAX_QUEUED = 200
/** Time without requests after a 429 or 418 without Retry-After, in seconds. */
const DEFAULT_BLOCK_SECONDS = 30
const MAX_BLOCK_SECONDS = 600

/**
 * Sends GET requests to one exchange, one at a time and by default one each `intervalMs`. After a
 * rate-limit response, all requests fail immediately until the exchange allows them again.
 */
export function createRestClient(
  baseUrl: string,
  intervalMs: number,
  { nowMs, schedule, signal }: { nowMs(): number; schedule: Scheduler; signal: AbortSignal },
): RestClient {
  let lastTurn: Promise<unknown> = Promise.resolve()
  let nextAtMs = 0
  let blockedUntilMs = 0
  let queuedCount = 0
  let serverTimeMs = 0

  const waitUntil = (atMs: number) =>
    new Promise<void>((resolve) => {
      if (atMs <= nowMs() || signal.aborted) return resolve()
      schedule.after(atMs - nowMs(), resolve)
    })
  const request = async (path: string, pauseMs: number): Promise<string> => {
    await waitUntil(nextAtMs)
    if (nowMs() < blockedUntilMs) throw new RestError('The exchange limits requests', 429)
    nextAtMs = nowMs() + pauseMs
    const response = await fetchResponse(new URL(path, baseUrl), signal)
    const dateMs = Date.parse(response.headers.get('date') ?? '')
    if (dateMs > serverTimeMs) serverTimeMs = dateMs
    if (response.status === 429 || response.status === 418) {
      blockedUntilMs = nowMs() + 1_000 * parseRetryAfter(response.headers.get('retry-after'))
    }
    if (!response.ok) {
      await response.body?.cancel()
      throw new RestError(`The exchange returned ${response.status}`, response.status)
    }
    return readBody(response)
  }
  return {
    get(path, pauseMs = intervalMs) {
      if (queuedCount >= MAX_QUEUED) return Promise.reject(new RestError('Too many requests wait'))
      queuedCount += 1
      const response = lastTurn.then(() => request(path, pauseMs))
      lastTurn = Promise.allSettled([response]).then(() => {
        queuedCount -= 1
      })
      return response
    },
    statedMs: () => serverTimeMs,
  }
}

async function fetchResponse(url: URL, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { redirect: 'error', signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) })
  } catch (error) {
    throw new RestError(error instanceof Error ? describeError(error) : 'The exchange could not be reached')
  }
}

function describeError(error: Error): string {
  if (error.name === 'TimeoutError') return 'The exchange did not respond in time'
  return error.cause instanceof Error ? `The exchange could not be reached: ${error.cause.message}` : error.message
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    // The cast adds the async iterator of `body`, which its types lack.
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      bytes += chunk.length
      if (bytes > MAX_BYTES) throw new RestError('The page is too large')
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof RestError ? error : new RestError('The page was cut off')
  }
  return Buffer.concat(chunks).toString()
}

function parseRetryAfter(header: string | null): number {
  const seconds = Number(header)
  return header && Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), MAX_BLOCK_SECONDS) : DEFAULT_BLOCK_SECONDS
}
