import { describe, expect, it } from 'vitest'
import { isSealedWith, openApiKey, sealApiKey } from './api-key.ts'

const secret = 'a'.repeat(32)
const next = 'b'.repeat(32)
const sealed = sealApiKey(secret, 'settings/feed', 'key-123')
const only = (appSecret: string) => ({ appSecret, appSecretPrevious: null })

describe('a sealed API key', () => {
  it.each([
    ['another secret', only(next), 'settings/feed', sealed],
    [
      'another secret, and another one before',
      { appSecret: next, appSecretPrevious: 'c'.repeat(32) },
      'settings/feed',
      sealed,
    ],
    ['another place', only(secret), 'settings/other', sealed],
    ['another place and the secret before', { appSecret: next, appSecretPrevious: secret }, 'settings/other', sealed],
    ['a changed byte', only(secret), 'settings/feed', sealed.replace(/.{2}$/, (end) => (end === 'AA' ? 'BB' : 'AA'))],
    ['a cut end', only(secret), 'settings/feed', sealed.slice(0, 20)],
    ['plain text', only(secret), 'settings/feed', 'key-123'],
  ])('does not open with %s', (_name, secrets, place, text) => {
    expect(() => openApiKey(secrets, place, text)).toThrow()
  })

  it('opens to what was sealed, shows nothing of it, and is never the same twice', () => {
    expect(openApiKey(only(secret), 'settings/feed', sealed)).toBe('key-123')
    expect(sealed).not.toContain('key-123')
    expect(sealApiKey(secret, 'settings/feed', 'key-123')).not.toBe(sealed)
  })

  it('opens with the secret before, and is known to be sealed with that', () => {
    expect(openApiKey({ appSecret: next, appSecretPrevious: secret }, 'settings/feed', sealed)).toBe('key-123')
    expect([isSealedWith(next, 'settings/feed', sealed), isSealedWith(secret, 'settings/feed', sealed)]).toEqual([
      false,
      true,
    ])
  })
})
