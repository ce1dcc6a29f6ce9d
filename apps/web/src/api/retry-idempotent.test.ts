import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { retryIdempotent } from './retry-idempotent.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const respondDone = () => new Response('{}', { status: 201 })
const respondRunning = () => new Response('{"code":"idempotency_running"}', { status: 409 })
const failToConnect = () => {
  throw new TypeError('Failed to fetch')
}

/**
 * Runs a call whose attempts get these responses in order. Returns the idempotency key of each
 * attempt, and the outcome of the call.
 */
async function runCall(request: string, responses: (() => Response)[]) {
  const keys: string[] = []
  const send = async (key: string) => {
    keys.push(key)
    return (responses[keys.length - 1] ?? failToConnect)()
  }
  const outcome = retryIdempotent(request, send).then(
    ({ status }) => status,
    (error: Error) => error.name,
  )
  await vi.runAllTimersAsync()
  return { keys, outcome: await outcome }
}

test.each<[string, (() => Response)[], number | string, number]>([
  ['does not retry a success', [respondDone], 201, 1],
  ['does not retry a client error', [() => new Response('{"code":"log_stopped"}', { status: 409 })], 409, 1],
  ['does not retry a status 500', [() => new Response('{}', { status: 500 })], 500, 1],
  ['retries a network failure', [failToConnect, respondDone], 201, 2],
  ['retries a 502 of a proxy', [() => new Response('', { status: 502 }), respondDone], 201, 2],
  ['retries a call that is still running', [respondRunning, respondRunning, respondDone], 201, 3],
  ['fails after three attempts', [failToConnect, failToConnect, failToConnect], 'TypeError', 3],
])('retryIdempotent: %s', async (name, responses, outcome, attempts) => {
  const result = await runCall(name, responses)
  expect(result.outcome).toBe(outcome)
  expect(result.keys).toHaveLength(attempts)
  expect(new Set(result.keys).size).toBe(1)
})

test('retryIdempotent: does not retry an aborted call', async () => {
  const abort = () => {
    throw new DOMException('Aborted', 'AbortError')
  }
  expect(await runCall('aborted', [abort, respondDone])).toMatchObject({
    outcome: 'AbortError',
    keys: [expect.any(String)],
  })
})

test('retryIdempotent: reuses the key of a call until its outcome is known', async () => {
  const lostCall = await runCall('alert', [])
  const fault = await runCall('alert', [() => new Response('{}', { status: 500 })])
  const otherCall = await runCall('another alert', [respondDone])
  const answered = await runCall('alert', [respondDone])
  const next = await runCall('alert', [respondDone])
  expect([fault.keys[0], answered.keys[0]]).toEqual([lostCall.keys[0], lostCall.keys[0]])
  expect(new Set([lostCall.keys[0], otherCall.keys[0], next.keys[0]]).size).toBe(3)
})
