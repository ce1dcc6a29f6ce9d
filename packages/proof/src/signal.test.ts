import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { hashSignal } from './signal.ts'

test.each(['', 'abc', '{"summary":"4.1× its norm"}'])('the hash of %j is that of its UTF-8 bytes', (message) => {
  expect(hashSignal(message)).toBe(`0x${createHash('sha256').update(message, 'utf8').digest('hex')}`)
})

test('one more space is another message', () => {
  expect(hashSignal('{"a":1}')).not.toBe(hashSignal('{"a": 1}'))
})
