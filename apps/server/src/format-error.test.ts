import { DrizzleQueryError } from 'drizzle-orm'
import { HttpRequestError } from 'viem'
import { expect, test } from 'vitest'
import { formatError, formatErrorWithStack } from './format-error.ts'

const createQueryError = (cause?: Error) =>
  new DrizzleQueryError('\n  insert into "accounts" values ($1)\n  returning "id"', ['ann@example.com'], cause)
const connectionRefusedError = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })

test.each([
  ['a plain error', new Error('no disk'), 'no disk'],
  ['text', 'no disk', 'no disk'],
  ['an error without a message', connectionRefusedError, 'ECONNREFUSED'],
  [
    'a failed query',
    createQueryError(new Error('deadlock detected')),
    'deadlock detected (query: insert into "accounts" values ($1))',
  ],
  ['a query without a connection', createQueryError(connectionRefusedError), /^ECONNREFUSED \(query: insert/],
  ['a failed query without a cause', createQueryError(), 'Failed query: insert into "accounts" values ($1)'],
  ['an error of a chain node', new HttpRequestError({ url: 'http://node/the-key' }), 'HTTP request failed.'],
])('formatError: returns the reason of %s', (_name, error, reason) => {
  expect(formatError(error)).toEqual(typeof reason === 'string' ? reason : expect.stringMatching(reason))
})

test('formatErrorWithStack: adds the stack frames, but no query parameters', () => {
  const text = formatErrorWithStack(createQueryError(new Error('deadlock detected')))
  expect(text).toMatch(/^Error: deadlock detected \(query: .*\)\n +at /)
  expect(text).not.toContain('ann@example.com')
})
