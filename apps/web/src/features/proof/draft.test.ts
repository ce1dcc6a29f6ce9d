import { expect, it } from 'vitest'
import { parseProofFields, updateFields } from './draft.ts'

it.each([
  ['', null],
  ['{', null],
  ['5', null],
  ['null', null],
  ['{}', { signature: '', transaction: '' }],
  ['{"signature":5,"avalancheTx":null}', { signature: '', transaction: '' }],
  ['{"signature":"0x1","avalancheTx":"0x2"}', { signature: '0x1', transaction: '0x2' }],
  ['{"format":"tocsin-proof"}', null],
  ['{"format":"tocsin-proof","alert":{"signature":"0x1"}}', { signature: '0x1', transaction: '' }],
])('parseProofFields: from %s extracts %o', (text, proof) => {
  expect(parseProofFields(text)).toEqual(proof)
})

const nothing = { signature: '', transaction: '' }
const first = { signature: '0x1', transaction: '0x2' }
const second = { signature: '0x3', transaction: '0x4' }

it.each([
  [
    'keeps a value that was typed',
    { signature: 'mine', transaction: '0x2' },
    nothing,
    first,
    { signature: 'mine', transaction: '0x2' },
  ],
  ['fills empty fields', { signature: ' ', transaction: '' }, nothing, first, first],
  ['updates the fields when the text changes', first, first, second, second],
])('updateFields: %s', (_, fields, before, now, expected) => {
  expect(updateFields(fields, before, now)).toEqual(expected)
})
