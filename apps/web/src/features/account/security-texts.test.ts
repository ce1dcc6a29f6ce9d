import { expect, it } from 'vitest'
import { formatActivityKind } from './security-texts.ts'

it.each([
  ['signed_in', 'Signed in'],
  ['factor_failed', 'Second factor rejected'],
  ['role_changed', 'Role changed'],
  ['api_key_invalid', 'API key invalid'],
  ['foreign_origin', 'Foreign origin'],
])('formatActivityKind: formats %s as %s', (kind, expectedText) => {
  expect(formatActivityKind(kind)).toBe(expectedText)
})
