import type { EndpointName, ErrorBody, RequestBody, ResponseOf } from '@tocsin/protocol'
import { newVersion } from '../browser/new-version.ts'
import { createPollHeaders } from '../browser/user-input.ts'
import { eagerCalls } from './eager-calls.ts'

declare global {
  /**
   * The request for the first alerts of the dashboard, sent by public/theme.js. Deleted when the
   * app is shown. Only one call reads the response, because a body can be read only once.
   */
  var firstResponse: { url: string; response: Promise<Response> } | undefined
}

/** A response whose status is not OK. `message` is "status: body". */
export class ApiError extends Error {
  readonly status: number
  readonly code: string | null
  /** The server's message for users, if the body has one. */
  readonly userMessage: string | null
  readonly details: Record<string, string | number>
  /** Identifies the request in the server's log. */
  readonly requestId: string | null

  constructor(status: number, body: string, statusText: string) {
    super(`${status}: ${body || statusText}`)
    this.name = 'ApiError'
    this.status = status
    const refusal = readRefusal(body)
    this.code = refusal?.code ?? null
    this.userMessage = refusal?.message ?? null
    this.details = refusal?.details ?? {}
    this.requestId = refusal?.requestId ?? null
  }
}

/**
 * Calls in flight that are not GET. Their responses can renew the session cookie, so `call` waits
 * for them before it repeats a GET call that got a 401.
 */
const writesInFlight = new Set<Promise<Response>>()

const unauthorizedListeners = new Set<() => void>()

/**
 * Calls the listener on every 401 response, because the session may have ended. Returns a function
 * that unsubscribes.
 */
export function onUnauthorized(listener: () => void): () => void {
  unauthorizedListeners.add(listener)
  return () => unauthorizedListeners.delete(listener)
}

/** Query parameters of a call. For a list, the parameter is repeated with each item. */
export type Query = Record<string, string | number | readonly string[]>

interface CallInput<N extends EndpointName> {
  params?: Record<string, string>
  query?: Query
  body?: RequestBody<N>
  signal?: AbortSignal
}

/**
 * Calls an endpoint of the HTTP API, as defined in `@tocsin/protocol`. Calls of endpoints with
 * `creates: true` carry an Idempotency-Key and are retried while their outcome is unknown. GET
 * calls are repeated once after a 401, because the session cookie may have been renewed while they
 * were in flight. The browser does not validate responses, because the server has validated them
 * against the schema of the endpoint. Validation would take longer than rendering, and the schemas
 * would make up a seventh of the size of the scripts.
 * @throws ApiError if the response is not OK; TypeError if the server is unreachable; SyntaxError
 *   if a proxy responds without JSON
 */
export async function call<N extends EndpointName>(name: N, input: CallInput<N> = {}): Promise<ResponseOf<N>> {
  const { method, path, responseType, creates } = eagerCalls[name] ?? (await findLazyCall(name))
  const url = fillPath(path, input.params ?? {}) + formatQuery(input.query ?? {})
  const body = method === 'GET' ? null : JSON.stringify(input.body ?? {})
  const send = (key?: string) =>
    fetch(url, {
      method,
      credentials: 'include',
      headers: {
        'content-type': 'application/json',
        ...createPollHeaders(),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === null ? {} : { body }),
      ...(input.signal ? { signal: input.signal } : {}),
    })
  const request = async () =>
    creates === true
      ? (await import('./retry-idempotent.ts')).retryIdempotent(`${method} ${url} ${body}`, send)
      : globalThis.firstResponse?.url === url
        ? globalThis.firstResponse.response
        : send()
  let response = await (method === 'GET' ? request() : trackWrite(request()))
  if (response.status === 401 && method === 'GET') {
    await Promise.allSettled(writesInFlight)
    response = await send()
  }
  newVersion.noteServed(response.headers.get('tocsin-build'))
  const text = await response.text()
  if (response.status === 401) for (const listener of unauthorizedListeners) listener()
  if (!response.ok) throw new ApiError(response.status, text, response.statusText)
  return (responseType === undefined ? JSON.parse(text) : text) as ResponseOf<N>
}

async function trackWrite(response: Promise<Response>): Promise<Response> {
  writesInFlight.add(response)
  try {
    return await response
  } finally {
    writesInFlight.delete(response)
  }
}

/** Like `call`, but returns null when the server answers 401. */
export async function callOrNull<N extends EndpointName>(
  name: N,
  input: CallInput<N> = {},
): Promise<ResponseOf<N> | null> {
  try {
    return await call(name, input)
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null
    throw error
  }
}

/** The error message to show: the server's message for users, or the fallback. */
export function getErrorMessage(error: unknown, fallback: string): string {
  return error instanceof ApiError && error.userMessage ? error.userMessage : fallback
}

/**
 * Finds a call that is not in `eagerCalls`. The table of these calls is loaded on demand, because
 * most pages do not need it.
 */
async function findLazyCall(name: EndpointName) {
  const { lazyCalls } = await import('./lazy-calls.ts')
  const found = lazyCalls[name]
  if (!found) throw new Error(`There is no call ${name}`)
  return found
}

function fillPath(path: string, params: Record<string, string>): string {
  return path.replace(/:(\w+)/g, (_match, name: string) => encodeURIComponent(params[name] ?? ''))
}

export function formatQuery(query: Query): string {
  const entries = Object.entries(query).flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)]))
  return entries.length > 0 ? `?${new URLSearchParams(entries)}` : ''
}

/** Parses the body of an error. Null if it is not from the server of this site. */
function readRefusal(body: string): ErrorBody | null {
  try {
    const parsedBody: Partial<ErrorBody> | null = JSON.parse(body)
    const { success, code, message, requestId } = parsedBody ?? {}
    const isRefusal =
      success === false && typeof code === 'string' && typeof message === 'string' && typeof requestId === 'string'
    return isRefusal ? (parsedBody as ErrorBody) : null
  } catch {
    return null
  }
}
