import { bytesToUtf8, utf8ToBytes } from '@noble/hashes/utils'
import { describe, expect, it } from 'vitest'
import { bytesToHex, checksumAddress } from './hex.ts'
import { decodeOutcome, encodeOutcome, type OutcomeStatement, parseOutcome } from './outcome-entry.ts'
import { decodeStatement, encodeStatement } from './statement.ts'
import { hashLeaf } from './tree.ts'
import { hashStatement } from './typed-data.ts'
import vectors from './vectors/predictions.json'

const canonical = vectors.entries.entries.find(({ kind }) => kind === 'outcome')?.bytes ?? ''
const outcome = decodeOutcome(utf8ToBytes(canonical))
const removeField = (key: keyof OutcomeStatement) =>
  Object.fromEntries(Object.entries(outcome).filter(([name]) => name !== key))

const refusedValues: [field: keyof OutcomeStatement, values: unknown[]][] = [
  ['kind', ['alert', null]],
  ['index', [-1, 0.5, '57', null]],
  ['targetIndex', [57, 58, -1, '41', null]],
  ['targetLeafHash', [null, '0x', `0x${'AB'.repeat(32)}`]],
  ['verdict', ['true', 'void', '', null]],
  ['measured', [null, 1.46, '', '1.50', '1e2', '-1', '1.4604574758139', '1'.repeat(19)]],
  ['createdAt', ['2026-03-02T14:36:04Z', null]],
  ['origin', ['admin', '', null]],
  ['messageHash', [null, `0x${'ab'.repeat(31)}`]],
  ['signer', ['0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', null]],
  ['salt', [null, `0x${'5a'.repeat(15)}`, `0x${'5A'.repeat(16)}`]],
]

describe('parseOutcome', () => {
  it.each(refusedValues.flatMap(([field, values]) => values.map((value) => ({ field, value }))))(
    'rejects $field $value',
    ({ field, value }) => {
      expect(() => parseOutcome({ ...outcome, [field]: value })).toThrow("The outcome's ")
    },
  )

  it.each(refusedValues.map(([field]) => field))('rejects an outcome without %s', (field) => {
    expect(() => parseOutcome(removeField(field))).toThrow(`The outcome's ${field} is not`)
  })

  it('rejects a void outcome with a measured value', () => {
    expect(() => parseOutcome({ ...outcome, verdict: 'void' })).toThrow('measured is not null if and only if')
    const voidOutcome: OutcomeStatement = { ...outcome, verdict: 'void', measured: null }
    expect(decodeOutcome(encodeOutcome(voidOutcome))).toEqual(voidOutcome)
  })

  it.each([null, undefined, 'outcome', 7])('rejects %j, which is not an object', (value) => {
    expect(() => parseOutcome(value)).toThrow('not an object')
  })
})

describe('decodeOutcome', () => {
  it.each([
    ['a space', canonical.replace(':', ': ')],
    ['an unknown key', canonical.replace('"v":1', '"v":1,"w":1')],
    ['version 2', canonical.replace('"v":1', '"v":2')],
    ['no version', canonical.replace('"v":1,', '')],
    ['another key order', canonical.replace(/("index":57),("kind":"outcome")/, '$2,$1')],
  ])('rejects %s', (_, text) => {
    expect(text).not.toBe(canonical)
    expect(() => decodeStatement(utf8ToBytes(text))).toThrow('not the canonical form of an outcome')
  })
})

describe('predictions.json', () => {
  const { chainId, contract } = vectors.entries.domain
  const domain = { chainId, verifyingContract: checksumAddress(contract) }

  it.each(vectors.entries.entries)('has the bytes, leaf hash and digest of an $kind', ({ bytes, leafHash, digest }) => {
    const statement = decodeStatement(utf8ToBytes(bytes))
    expect(bytesToUtf8(encodeStatement(statement))).toBe(bytes)
    expect(bytesToHex(hashLeaf(utf8ToBytes(bytes)))).toBe(leafHash)
    expect(bytesToHex(hashStatement(domain, statement))).toBe(digest)
  })
})
