import type { Message } from './message.ts'

/** The parts of the address of a chat or a topic that are stored encrypted. */
export interface Address {
  url: string
  /** The token for the Authorization header, or null. */
  token: string | null
}

export interface Request {
  url: string
  headers: Record<string, string>
  body: string
}

/** The result of one request. */
export interface Answer {
  /** Null if there was no response. */
  status: number | null
  response: string
  tookMs: number
  retryAfterMs: number | null
}

/** The interpretation of an answer. */
export interface Reading {
  /** `dead`: this message is not retried. `gone`: the destination gets no further messages. */
  result: 'delivered' | 'retry' | 'dead' | 'gone'
  /** The reason for the ledger, without a full stop. */
  reason: string
  /** Shortest delay until the next attempt, as requested by the service. */
  retryAfterMs: number | null
  /** True if the pause applies to all destinations of this kind, not only to this one. */
  pausesKind: boolean
}

/** A service that receives messages over HTTP. */
export interface HttpKind {
  /** @throws Error with a message for the user, if the address does not belong to this service */
  checkAddress(url: URL): void
  buildRequest(address: Address, message: Message): Request
  read(answer: Answer, now: Date): Reading
}

export const reading = (result: Reading['result'], reason: string, more: Partial<Reading> = {}): Reading => ({
  result,
  reason,
  retryAfterMs: null,
  pausesKind: false,
  ...more,
})

/**
 * Converts a wait that a service requests to ms. Returns null if it is not a valid number of
 * seconds.
 */
export const toMs = (seconds: unknown): number | null =>
  typeof seconds === 'number' && seconds >= 0 && Number.isFinite(seconds) ? Math.ceil(seconds) * 1_000 : null

/** Parses the body as a JSON object. Returns an empty object if it is not one. */
export function parseBody(response: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(response)
    return typeof body === 'object' && body !== null ? { ...body } : {}
  } catch {
    return {}
  }
}

export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300

/** Reads the statuses that mean the same for all services. Kinds read their own statuses first. */
export function readStatus({ status, response, retryAfterMs }: Answer): Reading {
  if (status === null) return reading('retry', response)
  if (isSuccess(status)) return reading('delivered', `Answered ${status}`)
  if (status === 410) return reading('gone', 'Answered 410: the endpoint is gone')
  if (status === 400 || status === 401 || status === 403)
    return reading('dead', `Answered ${status}, which is not retried`)
  const redirects = status >= 300 && status < 400 ? ': redirects are not followed' : ''
  return reading('retry', `Answered ${status}${redirects}`, { retryAfterMs })
}

/** Returns the longer of two waits. Null means no wait. */
export function longer(one: number | null, other: number | null): number | null {
  return one === null ? other : other === null ? one : Math.max(one, other)
}
