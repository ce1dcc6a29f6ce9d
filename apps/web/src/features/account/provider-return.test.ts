import { providerErrors } from '@tocsin/protocol'
import { describe, expect, test } from 'vitest'
import { explainProviderError, formatProviderHref } from './provider-return.ts'

describe('explainProviderError', () => {
  test.each(['', 'constructor', '__proto__', '<b>boom</b>', 'NOT_CONFIGURED'])(
    'returns the generic failure when the code is %j',
    (code) => {
      expect(explainProviderError(code).title).toBe('Sign-in failed')
    },
  )

  test.each([
    ['denied', true, /You cancelled/],
    ['not_configured', true, /not configured/],
    ['expired', true, /too late/],
    ['failed', false, /did not confirm/],
    ['email_in_use', false, /Log in to that account first/],
    ['email_not_verified', false, /has not verified/],
    ['identity_taken', false, /another account/],
  ])('explains the code %s', (code, isExpected, message) => {
    expect(explainProviderError(code)).toMatchObject({ isExpected, message: expect.stringMatching(message) })
  })

  test('has a different message for every code of the protocol', () => {
    expect(new Set(providerErrors.map((code) => explainProviderError(code).message)).size).toBe(providerErrors.length)
  })
})

test.each([
  [{ returnTo: '/history' }, '/api/auth/google?returnTo=%2Fhistory'],
  [
    { returnTo: '/settings?linked=google', purpose: 'link' as const },
    '/api/auth/google?returnTo=%2Fsettings%3Flinked%3Dgoogle&purpose=link',
  ],
])('formatProviderHref: encodes %j', (options, href) => expect(formatProviderHref('google', options)).toBe(href))
