import { expect, test } from 'vitest'
import { compareLedger } from './compare-ledger.ts'

const entry = (txHash: string, logIndex: number, amount: number) => ({ txHash, logIndex, amountWei: BigInt(amount) })
const short = (differences: ReturnType<typeof compareLedger>) =>
  differences.map(({ kind, transactionHash, ledgerWei, chainWei }) => [kind, transactionHash, ledgerWei, chainWei])

test.each<[string, ReturnType<typeof entry>[], ReturnType<typeof entry>[], unknown[]]>([
  ['nothing', [], [], []],
  [
    'the same, counted from another place',
    [entry('a', 0, 10), entry('a', 1, 30)],
    [entry('a', 8, 30), entry('a', 7, 10)],
    [],
  ],
  ['one that was never recorded', [], [entry('a', 3, 10)], [['not_in_ledger', 'a', null, '10']]],
  ['one that the chain does not have', [entry('a', 0, 10)], [], [['not_on_chain', 'a', '10', null]]],
  ['another amount', [entry('a', 0, 10)], [entry('a', 3, 11)], [['other_amount', 'a', '10', '11']]],
  [
    'a second one of the same amount',
    [entry('a', 0, 10)],
    [entry('a', 3, 10), entry('a', 4, 10)],
    [['not_in_ledger', 'a', null, '10']],
  ],
  [
    'two transactions, one wrong',
    [entry('a', 0, 10), entry('b', 0, 10)],
    [entry('a', 1, 10)],
    [['not_on_chain', 'b', '10', null]],
  ],
])('%s', (_name, ledger, chain, expected) => {
  expect(short(compareLedger(ledger, chain))).toEqual(expected)
})
