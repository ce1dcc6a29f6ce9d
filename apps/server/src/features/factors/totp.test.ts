import { describe, expect, test } from 'vitest'
import { createTotpSecret, totpUri, verifyTotp } from './totp.ts'

/** ASCII "12345678901234567890" as base32 (RFC 6238, appendix B). */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const toDate = (seconds: number) => new Date(seconds * 1000)

describe('TOTP', () => {
  // The RFC lists codes of eight digits. A code of six digits is the same number modulo a million.
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('accepts the test vector of RFC 6238 for the Unix time %i s', (seconds, code) => {
    expect(verifyTotp(secret, code.slice(-6), toDate(seconds), 0)).toBe(Math.floor(seconds / 30))
  })

  const [step, code] = [Math.floor(1_111_111_111 / 30), '050471']
  test.each([
    { seconds: (step - 1) * 30, result: step, when: 'the clock of the phone is one step ahead' },
    { seconds: (step + 2) * 30 - 1, result: step, when: 'the clock of the phone is one step behind' },
    { seconds: (step - 1) * 30 - 1, result: null, when: 'the clock of the phone is two steps ahead' },
    { seconds: (step + 2) * 30, result: null, when: 'the clock of the phone is two steps behind' },
  ])('returns $result when $when', ({ seconds, result }) => {
    expect(verifyTotp(secret, code, toDate(seconds), 0)).toBe(result)
  })

  test.each([
    { last: step - 1, result: step },
    { last: step, result: null },
    { last: step + 1, result: null },
    { last: step + 1_000, result: null },
  ])('returns $result when the newest accepted code was of step $last', ({ last, result }) => {
    expect(verifyTotp(secret, code, toDate(step * 30), last)).toBe(result)
  })

  test.each(['', '05047', '0504710', '05047a', ' 050471', '٠٥٠٤٧١', '050472'])('refuses the code "%s"', (entered) => {
    expect(verifyTotp(secret, entered, toDate(step * 30), 0)).toBeNull()
  })

  test('a secret has 160 random bits, and its URI names site and account', () => {
    const createdSecret = createTotpSecret()
    expect(createdSecret).toMatch(/^[A-Z2-7]{32}$/)
    expect(createTotpSecret()).not.toBe(createdSecret)
    const uri = new URL(totpUri(createdSecret, { site: 'Tocsin', account: 'ann@example.com' }))
    expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
      'otpauth:',
      'totp',
      '/Tocsin:ann@example.com',
    ])
    expect(uri.searchParams.get('secret')).toBe(createdSecret)
  })
})
