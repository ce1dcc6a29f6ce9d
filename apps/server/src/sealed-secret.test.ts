import { describe, expect, it } from 'vitest'
import { isSealedWith, openSecret, sealSecret } from './sealed-secret.ts'

const secret = 'a'.repeat(32)
const next = 'b'.repeat(32)
const sealed = sealSecret(secret, 'settings/feed', 'key-123')
const only = (appSecret: string) => ({ appSecret, appSecretPrevious: null })

describe('a sealed API key', () => {
  it.each([
    ['another secret', only(next), 'settings/feed', sealed],
    [
      'another secret and another previous secret',
      { appSecret: next, appSecretPrevious: 'c'.repeat(32) },
      'settings/feed',
      sealed,
    ],
    ['other additional data', only(secret), 'settings/other', sealed],
    [
      'other additional data and the previous secret',
      { appSecret: next, appSecretPrevious: secret },
      'settings/other',
      sealed,
    ],
    ['a changed byte', only(secret), 'settings/feed', sealed.replace(/.{2}$/, (end) => (end === 'AA' ? 'BB' : 'AA'))],
    ['a truncated end', only(secret), 'settings/feed', sealed.slice(0, 20)],
    ['plain text', only(secret), 'settings/feed', 'key-123'],
  ])('cannot be decrypted with %s', (_name, secrets, aad, text) => {
    expect(() => openSecret(secrets, aad, text)).toThrow()
  })

  it('decrypts to the original, does not contain it, and differs each time', () => {
    expect(openSecret(only(secret), 'settings/feed', sealed)).toBe('key-123')
    expect(sealed).not.toContain('key-123')
    expect(sealSecret(secret, 'settings/feed', 'key-123')).not.toBe(sealed)
  })

  it('decrypts with the previous secret, and reports that it used that one', () => {
    expect(openSecret({ appSecret: next, appSecretPrevious: secret }, 'settings/feed', sealed)).toBe('key-123')
    expect([isSealedWith(next, 'settings/feed', sealed), isSealedWith(secret, 'settings/feed', sealed)]).toEqual([
      false,
      true,
    ])
  })
})
