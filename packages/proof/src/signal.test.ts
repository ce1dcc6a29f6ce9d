import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { hashSignal } from './signal.ts'

test.each(['', 'abc', '{"summary":"4.1× its norm"}'])('hashSignal: hashes the UTF-8 bytes of %j', (message) => {
  expect(hashSignal(message)).toBe(`0x${createHash('sha256').update(message, 'utf8').digest('hex')}`)
})

test('hashSignal: returns another hash if the signal contains an additional space', () => {
  expect(hashSignal('{"a":1}')).not.toBe(hashSignal('{"a": 1}'))
})
