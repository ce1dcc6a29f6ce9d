import { describe, expect, it } from 'vitest'
import { createFeedDraft, createFeedRequest, type FeedDraft, feedForm } from './feed-form.ts'

const storedDraft = createFeedDraft({
  externalEndpoint: 'wss://signals.example/v2',
  apiKeyHint: '…3f9a',
  reconnectInterval: 30,
  maxRetries: 5,
  isEnabled: true,
  isSaved: true,
  state: 'connected',
  lastError: null,
})

const intervalMessage = 'Enter a whole number from 5 to 300'
const retriesMessage = 'Enter a whole number from 1 to 20'

describe('feedForm rejects', () => {
  it.each<[Partial<FeedDraft>, string]>([
    [{ externalEndpoint: 'https://signals.example' }, 'Start with ws:// or wss://'],
    [{ externalEndpoint: 'signals.example' }, 'Start with ws:// or wss://'],
    [{ externalEndpoint: ' ' }, 'Enter the endpoint, or switch the feed off'],
    [{ externalEndpoint: `wss://${'x'.repeat(2000)}` }, 'At most 2,000 characters'],
    [{ apiKey: 'two words' }, 'Only English letters, digits and punctuation, without spaces'],
    [{ apiKey: 'ключ' }, 'Only English letters, digits and punctuation, without spaces'],
    [{ apiKey: 'x'.repeat(1001) }, 'At most 1,000 characters'],
    [{ reconnectInterval: '4' }, intervalMessage],
    [{ reconnectInterval: '301' }, intervalMessage],
    [{ reconnectInterval: '7.5' }, intervalMessage],
    [{ reconnectInterval: '' }, intervalMessage],
    [{ maxRetries: '0' }, retriesMessage],
    [{ maxRetries: '21' }, retriesMessage],
    [{ maxRetries: '1e1' }, retriesMessage],
  ])('%o', (change, message) => {
    expect(feedForm.safeParse({ ...storedDraft, ...change }).error?.issues[0]?.message).toBe(message)
  })
})

describe('createFeedRequest sends', () => {
  const base = { externalEndpoint: 'wss://signals.example/v2', reconnectInterval: 30, maxRetries: 5, isEnabled: true }
  it.each<[string, Partial<FeedDraft>, object]>([
    ['no key when none was entered', {}, base],
    ['a new key', { apiKey: 'k3y' }, { ...base, apiKey: 'k3y' }],
    ['null when the key is removed', { removeKey: true }, { ...base, apiKey: null }],
    ['a new key even if removal is ticked', { apiKey: 'k3y', removeKey: true }, { ...base, apiKey: 'k3y' }],
    [
      'a disabled feed without an endpoint',
      { externalEndpoint: '', isEnabled: false },
      { ...base, externalEndpoint: '', isEnabled: false },
    ],
  ])('%s', (_what, change, body) => {
    expect(createFeedRequest(feedForm.parse({ ...storedDraft, ...change }))).toEqual(body)
  })
})
