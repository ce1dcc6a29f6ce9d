import { describe, expect, it } from 'vitest'
import { parseTransactionInput } from './transaction-input.ts'

const hash = `0x${'ab'.repeat(32)}`

describe('parseTransactionInput', () => {
  it.each([
    ['', /^Paste the transaction first/],
    ['   ', /^Paste the transaction first/],
    ['hello', /^This is not a transaction/],
    [`${hash}ff`, /^This is not a transaction/],
    [hash.slice(0, -1), /^This is not a transaction/],
    ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', /^This is an address/],
  ])('rejects %j', (text, problem) => {
    expect(parseTransactionInput(text)).toEqual({ problem: expect.stringMatching(problem) })
  })

  it.each([
    hash,
    `  ${hash}\n`,
    hash.toUpperCase().replace('0X', '0x'),
    hash.slice(2),
    `https://etherscan.io/tx/${hash}#eventlog`,
  ])('accepts %j', (text) => {
    expect(parseTransactionInput(text)).toEqual({ hash })
  })
})
