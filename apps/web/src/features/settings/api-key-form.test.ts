import { apiKeyScopes, newApiKey } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import {
  type ApiKeyDraft,
  apiKeyForm,
  countRequestsLeft,
  createApiKeyDraft,
  createApiKeyRequest,
  expiryOptions,
  formatExpiry,
} from './api-key-form.ts'

const draft: ApiKeyDraft = { ...createApiKeyDraft(600), name: 'Desk bot' }
const now = Date.parse('2026-11-24T04:00:00.000Z')
const formatInHours = (hours: number) => new Date(now + hours * 3_600_000).toISOString()

describe('apiKeyForm rejects', () => {
  const range = 'Enter a whole number from 10 to 600'
  it.each<[Partial<ApiKeyDraft>, string]>([
    [{ name: ' ' }, 'Please enter a name'],
    [{ name: 'x'.repeat(61) }, 'At most 60 characters'],
    [{ name: 'two\nlines' }, 'Enter one line of visible text'],
    [{ name: '\u200b' }, 'Enter one line of visible text'],
    [{ scopes: [] }, 'Choose at least one permission'],
    [{ requestsPerMinute: '' }, range],
    [{ requestsPerMinute: '9' }, range],
    [{ requestsPerMinute: '601' }, range],
    [{ requestsPerMinute: '1.5' }, range],
  ])('%j', (change, message) => {
    const result = apiKeyForm.safeParse({ ...draft, ...change })
    expect(result.error?.issues[0]?.message).toBe(message)
  })
})

describe('createApiKeyRequest', () => {
  it.each(expiryOptions)('makes a request that the server accepts when the expiry is $label', ({ value }) => {
    const form = apiKeyForm.parse({ ...draft, name: ' Desk bot ', scopes: [...apiKeyScopes], expiry: value })
    const request = newApiKey.parse(createApiKeyRequest(form))
    expect(request).toMatchObject({ name: 'Desk bot', scopes: [...apiKeyScopes], requestsPerMinute: 60 })
    expect(request.expiresInDays).toBe(value === 'never' ? undefined : Number(value))
  })
})

describe('createApiKeyDraft', () => {
  it.each([
    [600, '60'],
    [20, '20'],
    [0, '10'],
  ])('proposes a limit when %d requests are left', (remainingRequests, proposedLimit) => {
    expect(createApiKeyDraft(remainingRequests).requestsPerMinute).toBe(proposedLimit)
  })
})

describe('countRequestsLeft', () => {
  it('subtracts only the limits of keys that have not expired', () => {
    const keys = [
      { expiresAt: null, requestsPerMinute: 60 },
      { expiresAt: formatInHours(1), requestsPerMinute: 100 },
      { expiresAt: formatInHours(0), requestsPerMinute: 300 },
    ]
    expect(countRequestsLeft(keys, now)).toBe(440)
  })
})

describe('formatExpiry', () => {
  it.each([
    [null, 'Never expires'],
    [formatInHours(0), 'Expired'],
    [formatInHours(1), 'Expires in 1 day'],
    [formatInHours(25), 'Expires in 1 day'],
    [formatInHours(47), 'Expires in 2 days'],
  ])('describes the expiry %s', (expiresAt, words) => {
    expect(formatExpiry(expiresAt, now)).toBe(words)
  })
})
