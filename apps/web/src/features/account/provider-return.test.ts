import { providerErrors } from '@tocsin/protocol'
import { describe, expect, test } from 'vitest'
import { explainProviderError, providerHref } from './provider-return.ts'

describe('explainProviderError', () => {
  test.each(['', 'constructor', '__proto__', '<b>boom</b>', 'NOT_CONFIGURED'])('%j is told as a failure', (code) => {
    expect(explainProviderError(code).title).toBe('Sign-in failed')
  })

  test.each([
    ['denied', true, /You cancelled/],
    ['not_configured', true, /not configured/],
    ['expired', true, /too late/],
    ['failed', false, /did not confirm/],
    ['email_in_use', false, /Log in to that account first/],
    ['email_not_verified', false, /has not verified/],
    ['identity_taken', false, /another account/],
  ])('%s', (code, isCalm, sentence) => {
    expect(explainProviderError(code)).toMatchObject({ isCalm, sentence: expect.stringMatching(sentence) })
  })

  test('every code of the contract has a sentence of its own', () => {
    expect(new Set(providerErrors.map((code) => explainProviderError(code).sentence)).size).toBe(providerErrors.length)
  })
})

test.each([
  [{ returnTo: '/history' }, '/api/auth/google?returnTo=%2Fhistory'],
  [
    { returnTo: '/settings?linked=google', purpose: 'link' as const },
    '/api/auth/google?returnTo=%2Fsettings%3Flinked%3Dgoogle&purpose=link',
  ],
])('providerHref %j', (wish, href) => expect(providerHref('google', wish)).toBe(href))
