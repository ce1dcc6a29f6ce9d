import { parseJson } from '../../../parse-json.ts'
import type { Message } from './message.ts'

/** The stored secrets of a Discord, Slack or ntfy destination. */
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

/** The effect of a request's result on the delivery. */
export interface Classification {
  /** `dead`: this message is not retried. `gone`: the destination gets no further messages. */
  result: 'delivered' | 'retry' | 'dead' | 'gone'
  /** The reason shown in the delivery ledger, without a full stop. */
  reason: string
  /** Shortest delay until the next attempt, as requested by the service. */
  retryAfterMs: number | null
  /** True if the pause applies to all destinations of this kind, not only to this one. */
  pausesKind: boolean
}

export interface SendResult {
  answer: Answer
  classification: Classification
}

/** A service that receives messages over HTTP. */
export interface HttpKind {
  /** @throws Error with a message for the user, if the address does not belong to this service */
  checkAddress(url: URL): void
  buildRequest(address: Address, message: Message): Request
  classify(answer: Answer, now: Date): Classification
}

export const classifyAs = (
  result: Classification['result'],
  reason: string,
  extraFields: Partial<Classification> = {},
): Classification => ({
  result,
  reason,
  retryAfterMs: null,
  pausesKind: false,
  ...extraFields,
})

/**
 * Converts the wait time in a response from seconds to ms. Returns null if it is not a valid
 * number.
 */
export const secondsToMs = (seconds: unknown): number | null =>
  typeof seconds === 'number' && seconds >= 0 && Number.isFinite(seconds) ? Math.ceil(seconds) * 1_000 : null

/** Parses the body as a JSON object. Returns an empty object if it is not one. */
export function parseBody(response: string): Record<string, unknown> {
  const body = parseJson(response)
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300

/**
 * Classifies the statuses that mean the same for all services. Kinds classify their own statuses
 * first.
 */
export function classifyStatus({ status, response, retryAfterMs }: Answer): Classification {
  if (status === null) return classifyAs('retry', response)
  if (isSuccess(status)) return classifyAs('delivered', `Returned ${status}`)
  if (status === 410) return classifyAs('gone', 'Returned 410: the endpoint no longer exists')
  if (status === 400 || status === 401 || status === 403)
    return classifyAs('dead', `Returned ${status}, which is not retried`)
  const redirects = status >= 300 && status < 400 ? ': redirects are not followed' : ''
  return classifyAs('retry', `Returned ${status}${redirects}`, { retryAfterMs })
}

/** Returns the result of a message that was not sent and is retried. */
export function createUnsentResult(response: string): SendResult {
  const answer = { status: null, response, tookMs: 0, retryAfterMs: null }
  return { answer, classification: classifyAs('retry', response) }
}

/** Returns the longer of two waits in ms. Null means no wait. */
export function getLongerWaitMs(one: number | null, other: number | null): number | null {
  return one === null ? other : other === null ? one : Math.max(one, other)
}
