import { utf8ToBytes } from '@noble/hashes/utils'
import { describe, expect, it } from 'vitest'
import { testSigners } from '../test/support/test-log.ts'
import { decodeSuccession, encodeSuccession, parseSuccession, type SuccessionStatement } from './succession.ts'

const [signer = '0x', contract = '0x'] = testSigners
const statement: SuccessionStatement = {
  kind: 'succession',
  index: 1,
  createdAt: '2025-01-16T09:30:00.000Z',
  signer,
  predecessor: {
    ...{ chainId: 43114, contract, firstSigner: signer },
    ...{ size: 5, root: `0x${'11'.repeat(32)}`, anchoredSize: 7, anchoredRoot: `0x${'22'.repeat(32)}` },
  },
  reason: 'Entries 5 and 6 were lost.',
}
const changePredecessor = (change: object) => ({ ...statement, predecessor: { ...statement.predecessor, ...change } })

describe('parseSuccession', () => {
  it.each([
    ['null', null, 'The succession is not an object'],
    ['a text', 'succession', 'The succession is not an object'],
    ['another kind', { ...statement, kind: 'keys' }, "The succession's kind is not succession"],
    ['index 2', { ...statement, index: 2 }, "The succession's index is not 1"],
    [
      'a time without milliseconds',
      { ...statement, createdAt: '2025-01-16T09:30:00Z' },
      "succession's createdAt is not",
    ],
    ['a signer in lower case', { ...statement, signer: signer.toLowerCase() }, "succession's signer is not"],
    ['a lone surrogate', { ...statement, reason: '\ud800' }, "succession's reason is not well-formed"],
    ['no predecessor', { ...statement, predecessor: null }, 'The predecessor is not an object'],
    ['a text as predecessor', { ...statement, predecessor: 'log' }, 'The predecessor is not an object'],
    ['chain 0', changePredecessor({ chainId: 0 }), "predecessor's chainId is not"],
    [
      'a contract in lower case',
      changePredecessor({ contract: contract.toLowerCase() }),
      "predecessor's contract is not",
    ],
    ['no first signer', changePredecessor({ firstSigner: '0x' }), "predecessor's firstSigner is not"],
    ['a negative size', changePredecessor({ size: -1 }), "predecessor's size is not"],
    ['a short root', changePredecessor({ root: '0x11' }), "predecessor's root is not"],
    ['a fraction as anchored size', changePredecessor({ anchoredSize: 0.5 }), "predecessor's anchoredSize is not"],
    ['no anchored root', changePredecessor({ anchoredRoot: null }), "predecessor's anchoredRoot is not"],
  ])('rejects %s', (_, value, message) => {
    expect(() => parseSuccession(value)).toThrow(message)
  })
})

describe('decodeSuccession', () => {
  it('rejects another version', () => {
    const text = new TextDecoder().decode(encodeSuccession(statement)).replace('"v":1', '"v":2')
    expect(() => decodeSuccession(utf8ToBytes(text))).toThrow('not the canonical form of a succession')
  })

  it('returns the statement that encodeSuccession has encoded', () => {
    expect(decodeSuccession(encodeSuccession(statement))).toEqual(statement)
  })
})
