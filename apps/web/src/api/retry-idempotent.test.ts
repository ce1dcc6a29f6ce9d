import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { retryIdempotent } from './retry-idempotent.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const done = () => new Response('{}', { status: 201 })
const running = () => new Response('{"code":"idempotency_running"}', { status: 409 })
const unreachable = () => {
  throw new TypeError('Failed to fetch')
}

/**
 * Runs a call whose attempts get these responses in order. Returns the idempotency key of each
 * attempt, and the outcome of the call.
 */
async function run(request: string, responses: (() => Response)[]) {
  const keys: string[] = []
  const send = async (key: string) => {
    keys.push(key)
    return (responses[keys.length - 1] ?? unreachable)()
  }
  const outcome = retryIdempotent(request, send).then(
    ({ status }) => status,
    (error: Error) => error.name,
  )
  await vi.runAllTimersAsync()
  return { keys, outcome: await outcome }
}

test.each<[string, (() => Response)[], number | string, number]>([
  ['does not retry a success', [done], 201, 1],
  ['does not retry a client error', [() => new Response('{"code":"log_stopped"}', { status: 409 })], 409, 1],
  ['does not retry a status 500', [() => new Response('{}', { status: 500 })], 500, 1],
  ['retries a network failure', [unreachable, done], 201, 2],
  ['retries a 502 of a proxy', [() => new Response('', { status: 502 }), done], 201, 2],
  ['retries a call that is still running', [running, running, done], 201, 3],
  ['fails after three attempts', [unreachable, unreachable, unreachable], 'TypeError', 3],
])('retryIdempotent: %s', async (name, responses, outcome, attempts) => {
  const found = await run(name, responses)
  expect(found.outcome).toBe(outcome)
  expect(found.keys).toHaveLength(attempts)
  expect(new Set(found.keys).size).toBe(1)
})

test('retryIdempotent: does not retry an aborted call', async () => {
  const abort = () => {
    throw new DOMException('Aborted', 'AbortError')
  }
  expect(await run('aborted', [abort, done])).toMatchObject({ outcome: 'AbortError', keys: [expect.any(String)] })
})

test('retryIdempotent: reuses the key of a call until its outcome is known', async () => {
  const lost = await run('alert', [])
  const fault = await run('alert', [() => new Response('{}', { status: 500 })])
  const other = await run('another alert', [done])
  const answered = await run('alert', [done])
  const next = await run('alert', [done])
  expect([fault.keys[0], answered.keys[0]]).toEqual([lost.keys[0], lost.keys[0]])
  expect(new Set([lost.keys[0], other.keys[0], next.keys[0]]).size).toBe(3)
})
