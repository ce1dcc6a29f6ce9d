import { bytesToUtf8, utf8ToBytes } from '@noble/hashes/utils'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { signingKey, testSigners } from '../test/support/test-log.ts'
import { assertNextKeyList, keyAt } from './key-list.ts'
import { decodeKeys, encodeKeys, type KeysStatement, parseKeys, type SigningKey } from './keys.ts'

const [first = '0x', second = '0x'] = testSigners
const createdAt = '2025-01-16T09:30:00.000Z'
const beginning: KeysStatement = { kind: 'keys', index: 0, createdAt, signer: first, keys: [signingKey(0)] }
const rotated: KeysStatement = {
  kind: 'keys',
  index: 41,
  createdAt,
  signer: first,
  keys: [signingKey(0, 0, 42), signingKey(1, 42)],
}
const again: KeysStatement = {
  kind: 'keys',
  index: 57,
  createdAt,
  signer: second,
  keys: [signingKey(0, 0, 42), signingKey(1, 42, 58), signingKey(2, 58)],
}

const refusedShapes: [name: string, value: unknown, sentence: string][] = [
  ['null', null, 'not an object'],
  ['another kind', { ...beginning, kind: 'alert' }, 'kind is not keys'],
  ['no index', { ...beginning, index: undefined }, 'index is not'],
  ['minus zero', { ...beginning, index: -0 }, 'index is not'],
  ['a time without milliseconds', { ...beginning, createdAt: '2025-01-16T09:30:00Z' }, 'createdAt is not'],
  ['a signer in lower case', { ...beginning, signer: first.toLowerCase() }, 'signer is not'],
  ['an object as list', { ...beginning, keys: {} }, 'names no keys'],
  ['an empty list', { ...beginning, keys: [] }, 'names no keys'],
  ['a null key', { ...beginning, keys: [null] }, 'not an object'],
  [
    'a short checkpoint key',
    { ...beginning, keys: [{ ...signingKey(0), checkpointKey: '0x00' }] },
    'no checkpoint key',
  ],
  ['no address', { ...beginning, keys: [{ ...signingKey(0), address: '0x' }] }, 'no checksummed address'],
  ['no start', { ...beginning, keys: [{ ...signingKey(0), fromIndex: null }] }, 'no index from which'],
  ['an undefined end', { ...beginning, keys: [{ ...signingKey(0), untilIndex: undefined }] }, 'does not end after'],
  ['an empty window', { ...rotated, keys: [signingKey(0, 0, 0), signingKey(1)] }, 'does not end after'],
  ['a start above 0', { ...beginning, keys: [signingKey(0, 1)] }, 'begins at entry 1 instead of 0'],
  ['a gap', { ...rotated, keys: [signingKey(0, 0, 41), signingKey(1, 42)] }, 'begins at entry 42 instead of 41'],
  ['an overlap', { ...rotated, keys: [signingKey(0, 0, 43), signingKey(1, 42)] }, 'begins at entry 42 instead of 43'],
  ['two open windows', { ...rotated, keys: [signingKey(0), signingKey(1, 42)] }, 'still valid'],
  ['no open window', { ...rotated, keys: [signingKey(0, 0, 42), signingKey(1, 42, 50)] }, 'no longer valid'],
  [
    'a key that was replaced before',
    { ...rotated, keys: [signingKey(0, 0, 42), signingKey(0, 42)] },
    'replaced before',
  ],
  [
    'one checkpoint key for two',
    { ...rotated, keys: [signingKey(0, 0, 42), { ...signingKey(1, 42), checkpointKey: signingKey(0).checkpointKey }] },
    'checkpoint key of an earlier one',
  ],
]

const refusedSteps: [name: string, former: SigningKey[] | null, next: KeysStatement, sentence: RegExp][] = [
  [
    'a first list by another signer',
    null,
    { ...beginning, signer: second },
    /not signed by the key that is valid there/,
  ],
  ['a first list of two keys', null, rotated, /names more than the first key/],
  ['a list signed by the key that it adds', beginning.keys, { ...rotated, signer: second }, /not signed by the key/],
  ['a list signed by a replaced key', rotated.keys, { ...again, signer: first }, /entry 57 is not signed by the key/],
  ['no change', beginning.keys, { ...beginning, index: 41 }, /lets key 1 end at no entry instead of 42/],
  [
    'a key left out',
    rotated.keys,
    { ...beginning, index: 57, signer: second },
    /lets key 1 end at no entry instead of 42/,
  ],
  [
    'a second key left out',
    rotated.keys,
    { ...again, keys: [signingKey(0, 0, 42), signingKey(2, 42)] },
    /changes key 2|end at/,
  ],
  ['two keys together', beginning.keys, { ...again, index: 41, signer: first }, /does not add exactly one key/],
  [
    'a window closed one too early',
    beginning.keys,
    { ...rotated, keys: [signingKey(0, 0, 41), signingKey(1, 41)] },
    /lets key 1 end at 41 instead of 42/,
  ],
  [
    'a past window moved',
    rotated.keys,
    { ...again, keys: [signingKey(0, 0, 43), signingKey(1, 43, 58), signingKey(2, 58)] },
    /lets key 1 end at 43 instead of 42/,
  ],
  [
    'a past key exchanged',
    rotated.keys,
    { ...again, keys: [{ ...signingKey(0, 0, 42), checkpointKey: `0x${'11'.repeat(32)}` }, ...again.keys.slice(1)] },
    /changes key 1/,
  ],
]

describe('parseKeys', () => {
  it.each(refusedShapes)('rejects %s', (_, value, sentence) => {
    expect(() => parseKeys(value)).toThrow(sentence)
  })
})

describe('assertNextKeyList', () => {
  it.each(refusedSteps)('rejects %s', (_, former, next, sentence) => {
    expect(() => assertNextKeyList(former, next)).toThrow(sentence)
  })

  it('accepts a first list at any index, and one new key at a time', () => {
    assertNextKeyList(null, beginning)
    assertNextKeyList(null, { ...beginning, index: 9000 })
    assertNextKeyList(beginning.keys, rotated)
    assertNextKeyList(rotated.keys, again)
  })
})

describe('keyAt', () => {
  it.each([
    [0, 0],
    [41, 0],
    [42, 1],
    [57, 1],
    [58, 2],
    [2 ** 53 - 1, 2],
  ])('for entry %d returns key %d', (index, at) => {
    expect(keyAt(again.keys, index)).toBe(again.keys[at])
  })

  it('returns null outside all windows', () => {
    expect(keyAt([], 0)).toBeNull()
    expect(keyAt([signingKey(0, 5)], 4)).toBeNull()
  })
})

describe('decodeKeys', () => {
  const canonical =
    `{"createdAt":"${createdAt}","index":0,"keys":[{"address":"${first}","checkpointKey":"${signingKey(0).checkpointKey}",` +
    `"fromIndex":0,"untilIndex":null}],"kind":"keys","signer":"${first}","v":1}`

  it.each([
    ['another key order', canonical.replace('"index":0,"keys"', '"keys"').replace('"v":1', '"v":1,"index":0')],
    ['an unknown key', canonical.replace('"v":1', '"v":1,"w":1')],
    ['an unknown key inside', canonical.replace('"untilIndex":null', '"untilIndex":null,"x":0')],
    ['another version', canonical.replace('"v":1', '"v":2')],
    ['a space', canonical.replace(',', ', ')],
    ['a number as text', canonical.replace('"fromIndex":0', '"fromIndex":"0"')],
    ['a long number', canonical.replace('"fromIndex":0', '"fromIndex":0.0')],
  ])('rejects %s', (_, text) => {
    expect(text).not.toBe(canonical)
    expect(() => decodeKeys(utf8ToBytes(text))).toThrow()
  })

  it('encodeKeys writes canonical JSON (JCS) and drops unknown keys', () => {
    expect(bytesToUtf8(encodeKeys(beginning))).toBe(canonical)
    expect(encodeKeys({ ...beginning, keys: beginning.keys.map((key) => ({ ...key, more: 1 })) })).toEqual(
      utf8ToBytes(canonical),
    )
  })

  it('returns the encoded value', () => {
    const step = fc.integer({ min: 1, max: 2 ** 50 })
    fc.assert(
      fc.property(step, step, fc.integer({ min: 1, max: 3 }), (one, other, count) => {
        const keys = [signingKey(0, 0, one), signingKey(1, one, one + other), signingKey(2, one + other)].slice(
          0,
          count,
        )
        const open = keys.map((key, index) => (index === count - 1 ? { ...key, untilIndex: null } : key))
        const statement: KeysStatement = { ...beginning, index: one, keys: open }
        expect(decodeKeys(encodeKeys(statement))).toEqual(statement)
      }),
    )
  })
})
