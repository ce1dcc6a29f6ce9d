import { expect, it } from 'vitest'
import { kindWords } from './security-words.ts'

it.each([
  ['signed_in', 'Signed in'],
  ['factor_failed', 'Second factor refused'],
  ['role_changed', 'Role changed'],
  ['api_key_invalid', 'API key invalid'],
  ['foreign_origin', 'Foreign origin'],
])('security words: %s is shown as %s', (kind, shown) => {
  expect(kindWords(kind)).toBe(shown)
})
