import { CannotCheck } from './outcome.ts'
import { quote } from './printable.ts'

export interface Limits {
  /** Timeout for a complete response. */
  timeoutMs: number
}

export interface HttpResponse {
  status: number
  text: string
  retryAfterSeconds: number | null
}

interface RawResponse extends Omit<HttpResponse, 'text'> {
  bytes: Buffer
}

/** The response is too large or too slow. A smaller request may succeed. */
export class ResponseTooLarge extends CannotCheck {}

const MAX_BYTES = 16 * 2 ** 20
const MAX_TRIES = 4
const MAX_RETRY_AFTER_SECONDS = 61

export interface RequestContent {
  /** Sent with POST. Without it, the request is a GET. */
  body?: string
  /** API key for the server of the requested URL, or null. */
  apiKey?: string | null
}

/**
 * Sends a request. Does not follow redirects, reads at most 16 MiB, and enforces the timeout.
 * Retries a few times on 429 and 503.
 * @throws CannotCheck with a message for the user
 */
export async function request(url: URL, { timeoutMs }: Limits, content: RequestContent = {}): Promise<HttpResponse> {
  const { bytes, ...response } = await requestUntilReady(url, timeoutMs, content)
  return { ...response, text: new TextDecoder().decode(bytes) }
}

/**
 * Downloads a file. Returns null if the server responds that it does not exist.
 * @throws CannotCheck with a message for the user
 */
export async function requestBytes(url: URL, { timeoutMs }: Limits): Promise<Buffer | null> {
  const { bytes, ...response } = await requestUntilReady(url, timeoutMs, {})
  if (response.status === 404) return null
  if (response.status !== 200) throw explainRefusal({ ...response, text: new TextDecoder().decode(bytes) }, url)
  return bytes
}

async function requestUntilReady(url: URL, timeoutMs: number, content: RequestContent): Promise<RawResponse> {
  for (let attempt = 1; ; attempt++) {
    const response = await requestOnce(url, timeoutMs, content)
    const seconds = response.retryAfterSeconds ?? (response.status === 429 ? 2 ** attempt : Number.POSITIVE_INFINITY)
    const isBusy = response.status === 429 || response.status === 503
    if (!isBusy || attempt === MAX_TRIES || seconds > MAX_RETRY_AFTER_SECONDS) return response
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  }
}

async function requestOnce(url: URL, timeoutMs: number, { body, apiKey }: RequestContent): Promise<RawResponse> {
  const originText = formatOrigin(url)
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      ...(body ? { method: 'POST', body } : {}),
      headers: {
        // Some nodes, like the demo's, accept only requests whose Origin is their own.
        ...(body ? { 'content-type': 'application/json', origin: url.origin } : {}),
        ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
        // Ask servers on this machine for uncompressed responses, because compressing takes longer
        // than sending.
        ...(isLoopback(url) ? { 'accept-encoding': 'identity' } : {}),
      },
    })
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel()
      throw new CannotCheck(`${originText} returned a redirect (${response.status}), which is not followed`)
    }
    const retryAfter = response.headers.get('retry-after') ?? ''
    return {
      status: response.status,
      bytes: await readBytes(response, originText),
      retryAfterSeconds: /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : null,
    }
  } catch (error) {
    if (error instanceof CannotCheck) throw error
    throw toRequestError(error, originText, timeoutMs)
  }
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}

async function readBytes(response: Response, who: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the response.
    if (bytes > MAX_BYTES) throw new ResponseTooLarge(`${who} returned more than ${MAX_BYTES / 2 ** 20} MiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function toRequestError(error: unknown, who: string, timeoutMs: number): CannotCheck {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new ResponseTooLarge(`${who} did not respond within ${timeoutMs / 1000} s`)
  }
  const cause = error instanceof Error ? error.cause : null
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return new CannotCheck(`${who} could not be reached${/^[A-Z][A-Z0-9_]+$/.test(code) ? ` (${code})` : ''}`)
}

/**
 * Returns the URL without path and query, because the URL of a node may contain an API key there.
 */
export function formatOrigin(url: URL): string {
  return `${url.protocol}//${url.host}`
}

const statusMeanings = new Map([
  [401, 'this needs a sign-in'],
  [403, 'the server refuses access'],
  [404, 'this does not exist there'],
  [410, 'this no longer exists there'],
])

/** Creates the error for a status other than 200, with its meaning and the server's own message. */
export function explainRefusal(response: HttpResponse, url: URL): CannotCheck {
  const { status, retryAfterSeconds } = response
  const laterText = retryAfterSeconds ? `in ${retryAfterSeconds} s` : 'later'
  const meaning = status === 429 ? `too many requests, try again ${laterText}` : statusMeanings.get(status)
  const { message } = readErrorBody(response)
  const parts = [`${formatOrigin(url)} returned ${status} for ${quote(url.pathname)}`]
  if (meaning) parts.push(`, ${meaning}`)
  if (message !== null) parts.push(`: ${quote(message)}`)
  return new CannotCheck(parts.join(''))
}

/** Reads the error body of a Tocsin server. Both fields are null if another program responded. */
export function readErrorBody({ text }: HttpResponse): { code: string | null; message: string | null } {
  try {
    const { code, message } = JSON.parse(text)
    return { code: typeof code === 'string' ? code : null, message: typeof message === 'string' ? message : null }
  } catch {
    return { code: null, message: null }
  }
}

/** @throws CannotCheck unless the response is 200 with valid JSON */
export function parseJson(response: HttpResponse, url: URL): unknown {
  if (response.status !== 200) throw explainRefusal(response, url)
  try {
    return JSON.parse(response.text)
  } catch {
    throw new CannotCheck(`${formatOrigin(url)} returned a response that is not JSON`)
  }
}
