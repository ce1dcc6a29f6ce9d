import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { storableText } from '../../storable-text.ts'
import { createLookup, NOT_ALLOWED, parseEndpoint, type Resolve } from '../feed/endpoint.ts'
import { parseRetryAfter } from './destination.ts'
import type { Answer } from './kinds/kind.ts'

const TIMEOUT_MS = 15_000
const MAX_RESPONSE_BYTES = 64 * 1024
const UNREACHABLE = 'The endpoint could not be reached'
const STOPPED = 'The server was stopped'
const TIMEOUT_RESPONSE = 'No response within 15 seconds'
/**
 * Allowed ports. Only ports of web servers, so that the product cannot be used to contact other
 * services.
 */
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

/**
 * Agents for connections that are closed after the request. `agent: false` would create an agent
 * for each request.
 */
const closingAgents = { http: new HttpAgent(), https: new HttpsAgent() }
const AGENT_OPTIONS = { keepAlive: true, maxFreeSockets: 32, timeout: 2_000, scheduling: 'lifo' } as const
const createKeepAliveAgents = () => ({ http: new HttpAgent(AGENT_OPTIONS), https: new HttpsAgent(AGENT_OPTIONS) })
/**
 * Agents that reuse connections. The address of a connection is checked only when it is opened.
 * Requests that may go to private addresses therefore have their own connections.
 */
const keepAliveAgents = { private: createKeepAliveAgents(), public: createKeepAliveAgents() }

interface PostRequest {
  url: string
  headers: Record<string, string>
  body: string | Uint8Array
  allowPrivate: boolean
  /**
   * Set for services that many destinations use, because opening a TLS connection takes longer than
   * sending a message.
   */
  keepsConnection?: boolean
  signal: AbortSignal
  /** Called when the connection is open. If it resolves to false, nothing is written. */
  mayWrite?: () => Promise<boolean>
  /** Replaces the resolution of the host name. */
  resolve?: Resolve
  /** Only set by tests. */
  timeoutMs?: number
}

/**
 * Sends one message. The host name is resolved once, and the socket connects to the address that
 * was checked. Redirects are not followed and proxies are not used. Never rejects.
 * @returns null if `mayWrite` resolved to false, so nothing was written
 */
export function postMessage(message: PostRequest): Promise<Answer | null> {
  const { url, headers, body, allowPrivate, keepsConnection = false, signal, resolve, timeoutMs } = message
  const { mayWrite = async () => true } = message
  const startMs = performance.now()
  return new Promise((resolveAnswer) => {
    let request: ClientRequest | undefined
    let hasTimedOut = false
    const stop = () => void request?.destroy(new Error('The request was stopped'))
    const timer = setTimeout(() => {
      hasTimedOut = true
      stop()
    }, timeoutMs ?? TIMEOUT_MS)
    // `AbortSignal.any` would cost more than a listener.
    signal.addEventListener('abort', stop)
    const end = (answer: Omit<Answer, 'tookMs'>) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolveAnswer({ ...answer, tookMs: Math.round(performance.now() - startMs) })
    }
    const abandonRequest = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolveAnswer(null)
      stop()
    }
    const fail = (response: string) => end({ status: null, response, retryAfterMs: null })
    let target: URL
    try {
      target = parseWebhookUrl(url, allowPrivate)
    } catch {
      return fail(NOT_ALLOWED)
    }
    if (signal.aborted) return fail(STOPPED)
    const isSecure = target.protocol === 'https:'
    const options = {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Tocsin-Webhook/1',
        ...headers,
      },
      lookup: createLookup(allowPrivate, resolve),
    }
    let hasResponse = false
    let wasWritten = false
    const readResponse = (response: IncomingMessage) => {
      hasResponse = true
      const chunks: Buffer[] = []
      let size = 0
      const finish = () => {
        if (!response.complete) response.destroy()
        end({
          status: response.statusCode ?? null,
          response: storableText(Buffer.concat(chunks).toString()),
          retryAfterMs: parseRetryAfter(response.headers['retry-after'], new Date()),
        })
      }
      // If the connection is reset after the status has arrived, the request emits an error too.
      // This listener runs first, so that the status counts.
      request?.prependListener('error', finish)
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        size += chunk.length
        if (size >= MAX_RESPONSE_BYTES) finish()
      })
      response.on('end', finish)
      // The status has arrived, and the result depends only on it.
      response.on('error', finish)
    }
    const startRequest = (agents: typeof closingAgents) => {
      const agent = isSecure ? agents.https : agents.http
      const newRequest = (isSecure ? requestHttps : requestHttp)(target, { ...options, agent })
      request = newRequest
      newRequest.on('response', readResponse)
      newRequest.on('error', (error: Error & { code?: string }) => {
        // The server had closed the reused connection, so send the request on a new one. If a
        // status has arrived, the server has processed the request, and a new one would be a
        // duplicate.
        const wasClosed = newRequest.reusedSocket && error.code === 'ECONNRESET'
        if (wasClosed && !hasResponse) return startRequest(closingAgents)
        fail(signal.aborted ? STOPPED : hasTimedOut ? TIMEOUT_RESPONSE : describeNetworkError(error))
      })
      // Headers and body are written together, after the connection is open.
      newRequest.on('socket', (socket) => {
        const write = async () => {
          if (await mayWrite()) {
            wasWritten = true
            newRequest.end(body)
            // The message may have arrived over the connection that was closed.
          } else if (wasWritten) fail(UNREACHABLE)
          else abandonRequest()
        }
        if (newRequest.reusedSocket || !socket.connecting) write()
        else socket.once(isSecure ? 'secureConnect' : 'connect', write)
      })
    }
    startRequest(keepsConnection ? keepAliveAgents[allowPrivate ? 'private' : 'public'] : closingAgents)
  })
}

/**
 * Describes a network error. Refused, filtered and unknown hosts get the same message, so that
 * users cannot scan networks.
 */
function describeNetworkError(error: Error & { code?: string }): string {
  if (error.message === NOT_ALLOWED) return NOT_ALLOWED
  if (/certificate|self[- ]signed|altname/i.test(`${error.code} ${error.message}`)) {
    return 'The certificate of the endpoint is not valid'
  }
  return UNREACHABLE
}
