import { bytesToUtf8, utf8ToBytes } from '@noble/hashes/utils'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSigningKey, testSigners } from '../test/support/test-log.ts'
import { assertNextKeyList, findKeyAt } from './key-list.ts'
import { decodeKeys, encodeKeys, type KeysStatement, parseKeys, type SigningKey } from './keys.ts'

const [first = '0x', second = '0x'] = testSigners
const createdAt = '2025-01-16T09:30:00.000Z'
const firstList: KeysStatement = { kind: 'keys', index: 0, createdAt, signer: first, keys: [createSigningKey(0)] }
const rotatedList: KeysStatement = {
  kind: 'keys',
  index: 41,
  createdAt,
  signer: first,
  keys: [createSigningKey(0, 0, 42), createSigningKey(1, 42)],
}
const secondRotation: KeysStatement = {
  kind: 'keys',
  index: 57,
  createdAt,
  signer: second,
  keys: [createSigningKey(0, 0, 42), createSigningKey(1, 42, 58), createSigningKey(2, 58)],
}

const malformedLists: [name: string, value: unknown, sentence: string][] = [
  ['null', null, 'not an object'],
  ['another kind', { ...firstList, kind: 'alert' }, 'kind is not keys'],
  ['no index', { ...firstList, index: undefined }, 'index is not'],
  ['minus zero', { ...firstList, index: -0 }, 'index is not'],
  ['a time without milliseconds', { ...firstList, createdAt: '2025-01-16T09:30:00Z' }, 'createdAt is not'],
  ['a signer in lower case', { ...firstList, signer: first.toLowerCase() }, 'signer is not'],
  ['an object as list', { ...firstList, keys: {} }, 'names no keys'],
  ['an empty list', { ...firstList, keys: [] }, 'names no keys'],
  ['a null key', { ...firstList, keys: [null] }, 'not an object'],
  [
    'a short checkpoint key',
    { ...firstList, keys: [{ ...createSigningKey(0), checkpointKey: '0x00' }] },
    'no checkpoint key',
  ],
  ['no address', { ...firstList, keys: [{ ...createSigningKey(0), address: '0x' }] }, 'no checksummed address'],
  ['no start', { ...firstList, keys: [{ ...createSigningKey(0), fromIndex: null }] }, 'no index from which'],
  [
    'an undefined end',
    { ...firstList, keys: [{ ...createSigningKey(0), untilIndex: undefined }] },
    'does not end after',
  ],
  ['an empty window', { ...rotatedList, keys: [createSigningKey(0, 0, 0), createSigningKey(1)] }, 'does not end after'],
  ['a start above 0', { ...firstList, keys: [createSigningKey(0, 1)] }, 'begins at entry 1 instead of 0'],
  [
    'a gap',
    { ...rotatedList, keys: [createSigningKey(0, 0, 41), createSigningKey(1, 42)] },
    'begins at entry 42 instead of 41',
  ],
  [
    'an overlap',
    { ...rotatedList, keys: [createSigningKey(0, 0, 43), createSigningKey(1, 42)] },
    'begins at entry 42 instead of 43',
  ],
  ['two open windows', { ...rotatedList, keys: [createSigningKey(0), createSigningKey(1, 42)] }, 'still valid'],
  [
    'no open window',
    { ...rotatedList, keys: [createSigningKey(0, 0, 42), createSigningKey(1, 42, 50)] },
    'no longer valid',
  ],
  [
    'a key that was replaced before',
    { ...rotatedList, keys: [createSigningKey(0, 0, 42), createSigningKey(0, 42)] },
    'replaced before',
  ],
  [
    'one checkpoint key for two keys',
    {
      ...rotatedList,
      keys: [
        createSigningKey(0, 0, 42),
        { ...createSigningKey(1, 42), checkpointKey: createSigningKey(0).checkpointKey },
      ],
    },
    'checkpoint key of an earlier one',
  ],
]

const invalidSteps: [name: string, former: SigningKey[] | null, next: KeysStatement, sentence: RegExp][] = [
  [
    'a first list by another signer',
    null,
    { ...firstList, signer: second },
    /not signed by the key that is valid there/,
  ],
  ['a first list of two keys', null, rotatedList, /names more than the first key/],
  [
    'a list signed by the key that it adds',
    firstList.keys,
    { ...rotatedList, signer: second },
    /not signed by the key/,
  ],
  [
    'a list signed by a replaced key',
    rotatedList.keys,
    { ...secondRotation, signer: first },
    /entry 57 is not signed by the key/,
  ],
  ['an unchanged list', firstList.keys, { ...firstList, index: 41 }, /lets key 1 end at no entry instead of 42/],
  [
    'a key left out',
    rotatedList.keys,
    { ...firstList, index: 57, signer: second },
    /lets key 1 end at no entry instead of 42/,
  ],
  [
    'a second key left out',
    rotatedList.keys,
    { ...secondRotation, keys: [createSigningKey(0, 0, 42), createSigningKey(2, 42)] },
    /changes key 2|end at/,
  ],
  [
    'two keys that are added together',
    firstList.keys,
    { ...secondRotation, index: 41, signer: first },
    /does not add exactly one key/,
  ],
  [
    'a window that is closed one entry too early',
    firstList.keys,
    { ...rotatedList, keys: [createSigningKey(0, 0, 41), createSigningKey(1, 41)] },
    /lets key 1 end at 41 instead of 42/,
  ],
  [
    'a past window moved',
    rotatedList.keys,
    { ...secondRotation, keys: [createSigningKey(0, 0, 43), createSigningKey(1, 43, 58), createSigningKey(2, 58)] },
    /lets key 1 end at 43 instead of 42/,
  ],
  [
    'a past key exchanged',
    rotatedList.keys,
    {
      ...secondRotation,
      keys: [{ ...createSigningKey(0, 0, 42), checkpointKey: `0x${'11'.repeat(32)}` }, ...secondRotation.keys.slice(1)],
    },
    /changes key 1/,
  ],
]

describe('parseKeys', () => {
  it.each(malformedLists)('rejects %s', (_, value, sentence) => {
    expect(() => parseKeys(value)).toThrow(sentence)
  })
})

describe('assertNextKeyList', () => {
  it.each(invalidSteps)('rejects %s', (_, former, next, sentence) => {
    expect(() => assertNextKeyList(former, next)).toThrow(sentence)
  })

  it('accepts a first list at any index, and one new key at a time', () => {
    assertNextKeyList(null, firstList)
    assertNextKeyList(null, { ...firstList, index: 9000 })
    assertNextKeyList(firstList.keys, rotatedList)
    assertNextKeyList(rotatedList.keys, secondRotation)
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
    expect(findKeyAt(secondRotation.keys, index)).toBe(secondRotation.keys[at])
  })

  it('returns null for an entry outside the windows of all keys', () => {
    expect(findKeyAt([], 0)).toBeNull()
    expect(findKeyAt([createSigningKey(0, 5)], 4)).toBeNull()
  })
})

describe('decodeKeys', () => {
  const canonical =
    `{"createdAt":"${createdAt}","index":0,"keys":[{"address":"${first}","checkpointKey":"${createSigningKey(0).checkpointKey}",` +
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
    expect(bytesToUtf8(encodeKeys(firstList))).toBe(canonical)
    expect(encodeKeys({ ...firstList, keys: firstList.keys.map((key) => ({ ...key, more: 1 })) })).toEqual(
      utf8ToBytes(canonical),
    )
  })

  it('returns the statement that encodeKeys has encoded', () => {
    const step = fc.integer({ min: 1, max: 2 ** 50 })
    fc.assert(
      fc.property(step, step, fc.integer({ min: 1, max: 3 }), (one, other, count) => {
        const keys = [
          createSigningKey(0, 0, one),
          createSigningKey(1, one, one + other),
          createSigningKey(2, one + other),
        ].slice(0, count)
        const open = keys.map((key, index) => (index === count - 1 ? { ...key, untilIndex: null } : key))
        const statement: KeysStatement = { ...firstList, index: one, keys: open }
        expect(decodeKeys(encodeKeys(statement))).toEqual(statement)
      }),
    )
  })
})
