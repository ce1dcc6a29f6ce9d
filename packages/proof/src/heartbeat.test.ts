import { bytesToUtf8, utf8ToBytes } from '@noble/hashes/utils'
import { describe, expect, it } from 'vitest'
import { testSigners } from '../test/support/test-log.ts'
import { decodeHeartbeat, encodeHeartbeat, type HeartbeatStatement, parseHeartbeat } from './heartbeat.ts'

const [signer = '0x'] = testSigners
const statement: HeartbeatStatement = { kind: 'heartbeat', index: 3, createdAt: '2025-01-16T09:30:00.000Z', signer }
const canonical = `{"createdAt":"2025-01-16T09:30:00.000Z","index":3,"kind":"heartbeat","signer":"${signer}","v":1}`

describe('parseHeartbeat', () => {
  it.each([
    ['null', null, 'The heartbeat is not an object'],
    ['a text', canonical, 'The heartbeat is not an object'],
    ['another kind', { ...statement, kind: 'alert' }, "The heartbeat's kind is not heartbeat"],
    ['a negative index', { ...statement, index: -1 }, "The heartbeat's index is not an integer"],
    [
      'a time without milliseconds',
      { ...statement, createdAt: '2025-01-16T09:30:00Z' },
      "heartbeat's createdAt is not",
    ],
    [
      'a signer in lower case',
      { ...statement, signer: signer.toLowerCase() },
      "heartbeat's signer is not a checksummed",
    ],
  ])('rejects %s', (_, value, message) => {
    expect(() => parseHeartbeat(value)).toThrow(message)
  })
})

describe('decodeHeartbeat', () => {
  it.each([
    ['an unknown key', canonical.replace('"v":1', '"v":1,"w":1')],
    ['another version', canonical.replace('"v":1', '"v":2')],
  ])('rejects %s', (_, text) => {
    expect(() => decodeHeartbeat(utf8ToBytes(text))).toThrow('not the canonical form of a heartbeat')
  })

  it('returns the statement that encodeHeartbeat has encoded', () => {
    expect(bytesToUtf8(encodeHeartbeat(statement))).toBe(canonical)
    expect(decodeHeartbeat(utf8ToBytes(canonical))).toEqual(statement)
  })
})
