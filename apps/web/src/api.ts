import { type EndpointName, errorBody, openEndpoints, type RequestBody, type ResponseOf } from '@tocsin/protocol'

/** A non-OK answer. `message` is "status: body" as it came; `said` the sentence for a person, if the server gave one. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string | null
  readonly said: string | null
  readonly details: Record<string, string | number>
  /** Names the call in the server's log. */
  readonly requestId: string | null

  constructor(status: number, body: string, statusText: string) {
    super(`${status}: ${body || statusText}`)
    this.name = 'ApiError'
    this.status = status
    const parsed = errorBody.safeParse(parseJson(body))
    this.code = parsed.success ? parsed.data.code : null
    this.said = parsed.success ? parsed.data.message : null
    this.details = parsed.success ? (parsed.data.details ?? {}) : {}
    this.requestId = parsed.success ? parsed.data.requestId : null
  }
}

const unauthorizedListeners = new Set<() => void>()

/** Calls the listener when the server answers that nobody is signed in: the session ended elsewhere. Answers how to stop. */
export function onUnauthorized(listener: () => void): () => void {
  unauthorizedListeners.add(listener)
  return () => unauthorizedListeners.delete(listener)
}

interface CallInput<N extends EndpointName> {
  params?: Record<string, string>
  query?: Record<string, string | number>
  body?: RequestBody<N>
  /** Replaces the key that creating calls are sent with: the same key is answered with what the first one made. */
  idempotencyKey?: string
  signal?: AbortSignal
}

/**
 * One call of the HTTP API, as `@tocsin/protocol` describes it. Only creating calls are repeated, with an Idempotency-Key, while
 * it is unknown whether they had an effect.
 * @throws ApiError when the answer is not OK; TypeError when the server can't be reached
 */
export async function call<N extends EndpointName>(name: N, input: CallInput<N> = {}): Promise<ResponseOf<N>> {
  const { method, path, response, responseType, creates } = isOpen(name)
    ? openEndpoints[name]
    : await findAdminCall(name)
  const url = fillPath(path, input.params ?? {}) + formatQuery(input.query ?? {})
  const body = method === 'GET' ? null : JSON.stringify(input.body ?? {})
  const send = (key = input.idempotencyKey) =>
    fetch(url, {
      method,
      credentials: 'include',
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === null ? {} : { body }),
      ...(input.signal ? { signal: input.signal } : {}),
    })
  const isRepeated = creates === true && input.idempotencyKey === undefined
  const answer = isRepeated
    ? await (await import('./repeat-safely.ts')).repeatSafely(`${method} ${url} ${body}`, send)
    : await send()
  const text = await answer.text()
  if (answer.status === 401) for (const listener of unauthorizedListeners) listener()
  if (!answer.ok) throw new ApiError(answer.status, text, answer.statusText)
  return response.parse(responseType === undefined ? parseJson(text) : text) as ResponseOf<N>
}

/** The sentence to show for whatever went wrong: the server's own where it gave one. */
export function sentenceOf(error: unknown, fallback: string): string {
  return error instanceof ApiError && error.said ? error.said : fallback
}

type OpenName = keyof typeof openEndpoints
type AdminName = Exclude<EndpointName, OpenName>

const isOpen = (name: EndpointName): name is OpenName => name in openEndpoints

/** Their shapes take time to make, which only the admin area spends. */
async function findAdminCall<N extends AdminName>(name: N) {
  const { adminCalls } = await import('./features/admin/admin-calls.ts')
  return adminCalls[name]
}

function fillPath(path: string, params: Record<string, string>): string {
  return path.replace(/:(\w+)/g, (_match, name: string) => encodeURIComponent(params[name] ?? ''))
}

function formatQuery(query: Record<string, string | number>): string {
  const entries = Object.entries(query).map(([name, value]) => [name, String(value)])
  return entries.length > 0 ? `?${new URLSearchParams(entries)}` : ''
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
