import { expect, test } from 'vitest'
import { compareLedger } from './compare-ledger.ts'

const createEntry = (txHash: string, logIndex: number, amount: number) => ({
  txHash,
  logIndex,
  amountWei: BigInt(amount),
})
const toTuples = (differences: ReturnType<typeof compareLedger>) =>
  differences.map(({ kind, transactionHash, ledgerWei, chainWei }) => [kind, transactionHash, ledgerWei, chainWei])

test.each<[string, ReturnType<typeof createEntry>[], ReturnType<typeof createEntry>[], unknown[]]>([
  ['two empty lists', [], [], []],
  [
    'equal transfers with different log indexes',
    [createEntry('a', 0, 10), createEntry('a', 1, 30)],
    [createEntry('a', 8, 30), createEntry('a', 7, 10)],
    [],
  ],
  ['a transfer that is missing from the ledger', [], [createEntry('a', 3, 10)], [['not_in_ledger', 'a', null, '10']]],
  ['a transfer that is missing on the chain', [createEntry('a', 0, 10)], [], [['not_on_chain', 'a', '10', null]]],
  [
    'a transfer with different amounts',
    [createEntry('a', 0, 10)],
    [createEntry('a', 3, 11)],
    [['other_amount', 'a', '10', '11']],
  ],
  [
    'a second transfer of the same amount that is missing from the ledger',
    [createEntry('a', 0, 10)],
    [createEntry('a', 3, 10), createEntry('a', 4, 10)],
    [['not_in_ledger', 'a', null, '10']],
  ],
  [
    'an equal transfer and others when the counts differ',
    [createEntry('a', 0, 12), createEntry('a', 1, 10)],
    [createEntry('a', 3, 11), createEntry('a', 4, 10), createEntry('a', 5, 13)],
    [
      ['not_on_chain', 'a', '12', null],
      ['not_in_ledger', 'a', null, '11'],
      ['not_in_ledger', 'a', null, '13'],
    ],
  ],
  [
    'two transactions of which one is missing on the chain',
    [createEntry('a', 0, 10), createEntry('b', 0, 10)],
    [createEntry('a', 1, 10)],
    [['not_on_chain', 'b', '10', null]],
  ],
])('compareLedger: reports the differences of %s', (_name, ledger, chain, expected) => {
  expect(toTuples(compareLedger(ledger, chain))).toEqual(expected)
})

test.each([
  ['of the ledger when both have the transfer', [createEntry('a', 2, 10)], [createEntry('a', 7, 11)], 2],
  ['as null when the ledger lacks the transfer', [], [createEntry('a', 7, 11)], null],
])('compareLedger: returns the log index %s', (_name, ledger, chain, logIndex) => {
  expect(compareLedger(ledger, chain)).toMatchObject([{ logIndex }])
})
