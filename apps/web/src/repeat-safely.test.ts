import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { repeatSafely } from './repeat-safely.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const done = () => new Response('{}', { status: 201 })
const running = () => new Response('{"code":"idempotency_running"}', { status: 409 })
const unreachable = () => {
  throw new TypeError('Failed to fetch')
}

/** Sends a call that is answered like this in turn; the keys that it was sent with and what became of it. */
async function run(request: string, answers: (() => Response)[]) {
  const keys: string[] = []
  const send = async (key: string) => {
    keys.push(key)
    return (answers[keys.length - 1] ?? unreachable)()
  }
  const outcome = repeatSafely(request, send).then(
    ({ status }) => status,
    (error: Error) => error.name,
  )
  await vi.runAllTimersAsync()
  return { keys, outcome: await outcome }
}

test.each<[string, (() => Response)[], number | string, number]>([
  ['a certain answer ends the attempts', [done], 201, 1],
  ['a refusal ends the attempts', [() => new Response('{"code":"log_stopped"}', { status: 409 })], 409, 1],
  ['a fault ends the attempts', [() => new Response('{}', { status: 500 })], 500, 1],
  ['a network failure is repeated', [unreachable, done], 201, 2],
  ['a proxy’s 502 is repeated', [() => new Response('', { status: 502 }), done], 201, 2],
  ['a call that is still running is repeated', [running, running, done], 201, 3],
  ['after three attempts the failure shows', [unreachable, unreachable, unreachable], 'TypeError', 3],
])('%s', async (name, answers, outcome, attempts) => {
  const found = await run(name, answers)
  expect(found.outcome).toBe(outcome)
  expect(found.keys).toHaveLength(attempts)
  expect(new Set(found.keys).size).toBe(1)
})

test('an aborted call is not repeated', async () => {
  const abort = () => {
    throw new DOMException('Aborted', 'AbortError')
  }
  expect(await run('aborted', [abort, done])).toMatchObject({ outcome: 'AbortError', keys: [expect.any(String)] })
})

test('the same call keeps its key until a certain answer, and has a new one after it', async () => {
  const lost = await run('alert', [])
  const fault = await run('alert', [() => new Response('{}', { status: 500 })])
  const other = await run('another alert', [done])
  const answered = await run('alert', [done])
  const next = await run('alert', [done])
  expect([fault.keys[0], answered.keys[0]]).toEqual([lost.keys[0], lost.keys[0]])
  expect(new Set([lost.keys[0], other.keys[0], next.keys[0]]).size).toBe(3)
})
