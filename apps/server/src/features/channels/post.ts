import { type ClientRequest, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { createLookup, NOT_ALLOWED, parseEndpoint, type Resolve } from '../feed/endpoint.ts'
import { parseRetryAfter } from './destination.ts'
import type { Answer } from './kinds/kind.ts'

const TIMEOUT_MS = 15_000
const MAX_RESPONSE_BYTES = 64 * 1024
const KEPT_CHARACTERS = 500
const STOPPED = 'The server was stopped'
const NO_ANSWER = 'No answer within 15 seconds'
/** Ports of web servers, so that the product cannot be used to talk to other services. */
const PORTS = ['', '8080', '8443']

/**
 * Parses the URL of a destination.
 * @throws Error with a message for the user
 */
export function parseWebhookUrl(text: string, allowPrivate: boolean): URL {
  const url = parseEndpoint(text, allowPrivate, allowPrivate ? ['https', 'http'] : ['https'])
  if (!allowPrivate && !PORTS.includes(url.port)) throw new Error('The endpoint must use port 443, 8080 or 8443')
  return url
}

interface Message {
  url: string
  headers: Record<string, string>
  body: string | Uint8Array
  allowPrivate: boolean
  signal: AbortSignal
  /** For tests. */
  resolve?: Resolve
  timeoutMs?: number
}

/**
 * Sends one message. The name is resolved once, and the socket connects to the checked address. No
 * redirect is followed, no proxy used and no connection kept. Never rejects.
 */
export function post({ url, headers, body, allowPrivate, signal, resolve, timeoutMs }: Message): Promise<Answer> {
  const startMs = performance.now()
  return new Promise((settle) => {
    let request: ClientRequest | undefined
    let isTooLate = false
    const stop = () => void request?.destroy(new Error('The request was stopped'))
    const timer = setTimeout(() => {
      isTooLate = true
      stop()
    }, timeoutMs ?? TIMEOUT_MS)
    // Combining signals costs more than a listener.
    signal.addEventListener('abort', stop)
    const end = (answer: Omit<Answer, 'tookMs'>) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      settle({ ...answer, tookMs: Math.round(performance.now() - startMs) })
    }
    const fail = (response: string) => end({ status: null, response, retryAfterMs: null })
    let target: URL
    try {
      target = parseWebhookUrl(url, allowPrivate)
    } catch {
      return fail(NOT_ALLOWED)
    }
    if (signal.aborted) return fail(STOPPED)
    request = (target.protocol === 'https:' ? requestHttps : requestHttp)(target, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Tocsin-Webhook/1',
        ...headers,
      },
      lookup: createLookup(allowPrivate, resolve),
    })
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      let size = 0
      const finish = () => {
        response.destroy()
        end({
          status: response.statusCode ?? null,
          response: readable(Buffer.concat(chunks)),
          retryAfterMs: parseRetryAfter(response.headers['retry-after'], new Date()),
        })
      }
      // A reset connection is an error of the request, also after the status has arrived.
      request?.prependListener('error', finish)
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        size += chunk.length
        if (size >= MAX_RESPONSE_BYTES) finish()
      })
      response.on('end', finish)
      // The status line has arrived, and it alone decides.
      response.on('error', finish)
    })
    request.on('error', (error: Error & { code?: string }) =>
      fail(signal.aborted ? STOPPED : isTooLate ? NO_ANSWER : explain(error)),
    )
    request.end(body)
  })
}

/** The beginning of a response, without control characters. */
function readable(bytes: Buffer): string {
  return bytes
    .toString('utf8')
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, KEPT_CHARACTERS)
}

/** Refused, filtered and unknown hosts get the same message, so that networks cannot be scanned. */
function explain(error: Error & { code?: string }): string {
  if (error.message === NOT_ALLOWED) return NOT_ALLOWED
  if (/certificate|self[- ]signed|altname/i.test(`${error.code} ${error.message}`)) {
    return 'The certificate of the endpoint is not valid'
  }
  return 'The endpoint could not be reached'
}
