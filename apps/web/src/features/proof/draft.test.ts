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

const emptyFields = { signature: '', transaction: '' }
const firstFields = { signature: '0x1', transaction: '0x2' }
const secondFields = { signature: '0x3', transaction: '0x4' }

it.each([
  [
    'keeps a value that was typed',
    { signature: 'mine', transaction: '0x2' },
    emptyFields,
    firstFields,
    { signature: 'mine', transaction: '0x2' },
  ],
  ['fills empty fields', { signature: ' ', transaction: '' }, emptyFields, firstFields, firstFields],
  ['updates the fields when the text changes', firstFields, firstFields, secondFields, secondFields],
])('updateFields: %s', (_, fields, draftBefore, now, expected) => {
  expect(updateFields(fields, draftBefore, now)).toEqual(expected)
})
