import { describe, expect, it } from 'vitest'
import { parseClientMessage } from './client-message.ts'

const walletAddress = `0x${'aB'.repeat(20)}`

describe('a client message', () => {
  it.each([
    '',
    'null',
    '[]',
    '42',
    '"authenticate"',
    '{',
    '{"type":"subscribe"}',
    '{"type":["authenticate"]}',
    '{"__proto__":{"type":"authenticate"}}',
    `${'['.repeat(8_000)}${']'.repeat(8_000)}`,
  ])('is malformed: %s', (text) => {
    expect(parseClientMessage(text)).toEqual({ kind: 'malformed' })
  })

  it.each([
    [{}, 'walletAddress'],
    [{ walletAddress: 'mine' }, 'walletAddress'],
    [{ walletAddress: { $ne: null } }, 'walletAddress'],
    [{ walletAddress, lastIndex: -1 }, 'lastIndex'],
    [{ walletAddress, lastIndex: '7' }, 'lastIndex'],
    [{ walletAddress, lastIndex: 1e308 }, 'lastIndex'],
    [{ walletAddress, lastIndex: 1.5 }, 'lastIndex'],
    [{ walletAddress, accountId: 'another' }, 'accountId'],
    [{ walletAddress, proofs: 'none' }, 'proofs'],
  ])('fails to authenticate with %j', (fields, fieldName) => {
    const parsed = parseClientMessage(JSON.stringify({ type: 'authenticate', ...fields }))
    expect(parsed).toMatchObject({ kind: 'failed-authentication', reason: expect.stringContaining(fieldName) })
  })

  it('authenticates a wallet, with or without an index to resume from', () => {
    for (const message of [
      { type: 'authenticate', walletAddress },
      { type: 'authenticate', walletAddress, lastIndex: 0 },
      { type: 'authenticate', walletAddress, proofs: 'compact' },
    ]) {
      expect(parseClientMessage(JSON.stringify(message))).toEqual({ kind: 'message', message })
    }
  })
})
