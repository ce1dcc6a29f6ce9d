import { describe, expect, it } from 'vitest'
import { openApiKey, sealApiKey } from './api-key.ts'

const secret = 'a'.repeat(32)
const sealed = sealApiKey(secret, 'settings/feed', 'key-123')

describe('a sealed API key', () => {
  it.each([
    ['another secret', 'b'.repeat(32), 'settings/feed', sealed],
    ['another place', secret, 'settings/other', sealed],
    ['a changed byte', secret, 'settings/feed', sealed.replace(/.{2}$/, (end) => (end === 'AA' ? 'BB' : 'AA'))],
    ['a cut end', secret, 'settings/feed', sealed.slice(0, 20)],
    ['plain text', secret, 'settings/feed', 'key-123'],
  ])('does not open with %s', (_name, appSecret, place, text) => {
    expect(() => openApiKey(appSecret, place, text)).toThrow()
  })

  it('opens to what was sealed, shows nothing of it, and is never the same twice', () => {
    expect(openApiKey(secret, 'settings/feed', sealed)).toBe('key-123')
    expect(sealed).not.toContain('key-123')
    expect(sealApiKey(secret, 'settings/feed', 'key-123')).not.toBe(sealed)
  })
})
