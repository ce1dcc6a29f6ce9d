import type { Message } from './message.ts'

/** What is stored encrypted about the address of a chat or a topic. */
export interface Address {
  url: string
  /** For the Authorization header. */
  token: string | null
}

export interface Request {
  url: string
  headers: Record<string, string>
  body: string
}

/** What came back of one request. */
export interface Answer {
  /** Null if there was no response. */
  status: number | null
  response: string
  tookMs: number
  retryAfterMs: number | null
}

/** What an answer means. */
export interface Reading {
  /** `dead`: this message is not retried. `gone`: the destination gets nothing any more. */
  result: 'delivered' | 'retry' | 'dead' | 'gone'
  /** For the ledger, without a full stop. */
  reason: string
  /** How long to wait at least, as asked by the other side. */
  retryAfterMs: number | null
  /** Whether all destinations of this kind have to wait, not only this one. */
  pausesKind: boolean
}

/** A service that takes a request over HTTP. */
export interface HttpKind {
  /** @throws Error with a message for the user, if the address is not one of this service */
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

/** Waits that the services ask for are at most a day. */
export const toMs = (seconds: unknown): number | null =>
  typeof seconds === 'number' && seconds >= 0 && Number.isFinite(seconds) ? Math.ceil(seconds) * 1_000 : null

/** The body as an object; empty if it is not one. */
export function parseBody(response: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(response)
    return typeof body === 'object' && body !== null ? { ...body } : {}
  } catch {
    return {}
  }
}

export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300

/** Statuses that mean the same everywhere. Kinds read their own first. */
export function readStatus({ status, response, retryAfterMs }: Answer): Reading {
  if (status === null) return reading('retry', response)
  if (isSuccess(status)) return reading('delivered', `Answered ${status}`)
  if (status === 410) return reading('gone', 'Answered 410: the endpoint is gone')
  if (status === 400 || status === 401 || status === 403)
    return reading('dead', `Answered ${status}, which is not retried`)
  const redirects = status >= 300 && status < 400 ? ': redirects are not followed' : ''
  return reading('retry', `Answered ${status}${redirects}`, { retryAfterMs })
}

/** The longer of two waits. */
export function longer(one: number | null, other: number | null): number | null {
  return one === null ? other : other === null ? one : Math.max(one, other)
}
