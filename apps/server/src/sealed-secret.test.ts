import { describe, expect, it } from 'vitest'
import { isSealedWith, openSecret, sealSecret } from './sealed-secret.ts'

const secret = 'a'.repeat(32)
const nextSecret = 'b'.repeat(32)
const sealedKey = sealSecret(secret, 'settings/feed', 'key-123')
const createSecrets = (appSecret: string) => ({ appSecret, appSecretPrevious: null })

describe('a sealed API key', () => {
  it.each([
    ['another secret', createSecrets(nextSecret), 'settings/feed', sealedKey],
    [
      'another secret and another previous secret',
      { appSecret: nextSecret, appSecretPrevious: 'c'.repeat(32) },
      'settings/feed',
      sealedKey,
    ],
    ['other additional data', createSecrets(secret), 'settings/other', sealedKey],
    [
      'other additional data and the previous secret',
      { appSecret: nextSecret, appSecretPrevious: secret },
      'settings/other',
      sealedKey,
    ],
    [
      'a changed byte',
      createSecrets(secret),
      'settings/feed',
      sealedKey.replace(/.{2}$/, (end) => (end === 'AA' ? 'BB' : 'AA')),
    ],
    ['a truncated end', createSecrets(secret), 'settings/feed', sealedKey.slice(0, 20)],
    ['plain text', createSecrets(secret), 'settings/feed', 'key-123'],
  ])('cannot be decrypted with %s', (_name, secrets, aad, text) => {
    expect(() => openSecret(secrets, aad, text)).toThrow(/^The stored secret can’t be read/)
  })

  it('decrypts to the original key, does not contain that key, and differs at each encryption', () => {
    expect(openSecret(createSecrets(secret), 'settings/feed', sealedKey)).toBe('key-123')
    expect(sealedKey).not.toContain('key-123')
    expect(sealSecret(secret, 'settings/feed', 'key-123')).not.toBe(sealedKey)
  })

  it('decrypts with the previous secret, and isSealedWith tells which secret encrypted the key', () => {
    expect(openSecret({ appSecret: nextSecret, appSecretPrevious: secret }, 'settings/feed', sealedKey)).toBe('key-123')
    expect([
      isSealedWith(nextSecret, 'settings/feed', sealedKey),
      isSealedWith(secret, 'settings/feed', sealedKey),
    ]).toEqual([false, true])
  })
})
