import { getPlan } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { describe, expect, test } from 'vitest'
import { createTransfer, ITO, now, payer, stranger, terms, treasury } from '../../../test/support/test-transfer.ts'
import type { Transfer } from '../../chain/transfer.ts'
import { Refusal } from '../../refusal.ts'
import { acceptTransfers, isConfirmed, isIncoming, matchTransfer } from './payment.ts'
import type { ChainTransaction } from './transaction.ts'

interface TransactionCase {
  transfers?: Transfer[]
  ageMs?: number
  confirmations?: number
  used?: number[]
}

function accept({ transfers = [createTransfer()], ageMs = 0, confirmations = 3, used = [] }: TransactionCase) {
  const blockAt = new Date(now.getTime() - ageMs)
  const transaction: ChainTransaction = { state: 'mined', confirmations, blockAt, transfers }
  return acceptTransfers(transaction, new Set(used), { plan: getPlan('6h'), payers: [payer], now }, terms)
}

function getRefusal(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof Refusal) return `${error.code}: ${error.message}`
    throw error
  }
  return 'accepted'
}

describe('acceptTransfers: refuses a transaction', () => {
  const cases: [string, TransactionCase, RegExp][] = [
    ['without transfers', { transfers: [] }, /^payment_wrong_token: .*contract is 0x1{40}/],
    ['that transfers another token', { transfers: [createTransfer({ token: stranger })] }, /^payment_wrong_token/],
    [
      'that pays another recipient',
      { transfers: [createTransfer({ recipient: stranger })] },
      /^payment_wrong_recipient: .*which is 0x2{40}/,
    ],
    ['with an amount of zero', { transfers: [createTransfer({ amountWei: 0n })] }, /^payment_wrong_recipient/],
    ['from the treasury to itself', { transfers: [createTransfer({ payer: treasury })] }, /^payment_wrong_recipient/],
    [
      'from a wallet that is not proved',
      { transfers: [createTransfer({ payer: stranger })] },
      /^payment_wrong_sender: .*not verified/,
    ],
    [
      'with one wei less than the price',
      { transfers: [createTransfer({ amountWei: 10n * ITO - 1n })] },
      /^payment_too_small: 9\.999999999999999999 ITO arrived, the plan costs 10 ITO$/,
    ],
    [
      'with two transfers that only together reach the price',
      { transfers: [createTransfer({ amountWei: 6n * ITO }), createTransfer({ logIndex: 1, amountWei: 5n * ITO })] },
      /^payment_too_small: 6 ITO arrived/,
    ],
    ['one millisecond over the age limit', { ageMs: 24 * HOUR_MS + 1 }, /^payment_too_old: .*24 hours/],
    ['with a block timestamp that is too far in the future', { ageMs: -15 * MINUTE_MS - 1 }, /^unavailable: .*safe/],
    ['with one confirmation too few', { confirmations: 2 }, /^payment_confirming: .*2 of 3/],
    ['whose transfer was already used', { used: [0] }, /^payment_used: .*already/],
    [
      'whose only unused transfer is from another wallet',
      { transfers: [createTransfer(), createTransfer({ logIndex: 1, payer: stranger })], used: [0] },
      /^payment_wrong_sender/,
    ],
  ]
  test.each(cases)('%s', (_, situation, expected) => {
    expect(getRefusal(() => accept(situation))).toMatch(expected)
  })

  const states: [ChainTransaction, RegExp][] = [
    [{ state: 'unknown' }, /^payment_unknown: Transaction not found/],
    [{ state: 'pending', sender: null }, /^payment_confirming: .*0 of 3/],
    [{ state: 'reverted', sender: payer, blockNumber: 1 }, /^payment_reverted: .*failed/],
  ]
  test.each(states)('in the state $state', (transaction, expected) => {
    const claim = { plan: getPlan('6h'), payers: [payer], now }
    expect(getRefusal(() => acceptTransfers(transaction, new Set(), claim, terms))).toMatch(expected)
  })
})

describe('acceptTransfers: accepts a transaction', () => {
  const cases: [string, TransactionCase, number[]][] = [
    ['with exactly the price', {}, [0]],
    ['with the maximum uint256 amount', { transfers: [createTransfer({ amountWei: 2n ** 256n - 1n })] }, [0]],
    ['exactly at the age limit', { ageMs: 24 * HOUR_MS }, [0]],
    ['as far in the future as clocks may differ', { ageMs: -15 * MINUTE_MS }, [0]],
    [
      'when another of its transfers was used',
      { transfers: [createTransfer(), createTransfer({ logIndex: 4 })], used: [0] },
      [4],
    ],
    [
      'and returns the smallest sufficient transfer first',
      {
        transfers: [
          createTransfer({ amountWei: 75n * ITO }),
          createTransfer({ logIndex: 1, token: stranger }),
          createTransfer({ logIndex: 2, amountWei: 9n * ITO }),
          createTransfer({ logIndex: 3 }),
        ],
      },
      [3, 0],
    ],
  ]
  test.each(cases)('%s', (_, situation, expected) => {
    expect(accept(situation).map(({ logIndex }) => logIndex)).toEqual(expected)
  })
})

describe('matchTransfer: returns the plan that a transfer pays, or the reason why the transfer pays no plan', () => {
  const oldBlockAt = new Date(now.getTime() - 25 * HOUR_MS)
  const cases: [string, Partial<Transfer>, string | null, string][] = [
    ['with an amount that is no plan’s price', { amountWei: 11n * ITO }, 'account', 'other_amount'],
    ['that is too old', { blockAt: oldBlockAt }, 'account', 'too_old'],
    ['from a wallet without an owner', {}, null, 'unknown_wallet'],
    ['of 10 ITO', {}, 'account', '6h'],
    ['of 30 ITO', { amountWei: 30n * ITO }, 'account', '24h'],
    ['of 75 ITO', { amountWei: 75n * ITO }, 'account', '3d'],
  ]
  test.each(cases)('%s', (_, change, ownerId, expected) => {
    const match = matchTransfer(createTransfer(change), ownerId, now, terms)
    expect(typeof match === 'string' ? match : match.plan.id).toBe(expected)
  })
})

test('acceptTransfers: reports the confirmations when some are missing', () => {
  const details = { confirmations: 2, required: 3 }
  expect(() => accept({ confirmations: 2 })).toThrow(expect.objectContaining({ details }))
})

const minedTransaction: ChainTransaction = { state: 'mined', blockAt: now, transfers: [], confirmations: 3 }
test.each<[boolean, string, ChainTransaction]>([
  [false, 'not mined', { state: 'reverted', sender: payer, blockNumber: 1 }],
  [false, 'mined with one confirmation too few', { ...minedTransaction, confirmations: 2 }],
  [true, 'mined with enough confirmations', minedTransaction],
])('isConfirmed: is %s when the transaction is %s', (expected, _name, transaction) => {
  expect(isConfirmed(transaction, terms)).toBe(expected)
})

test('isIncoming: is false when the transfer is of another token', () => {
  expect(isIncoming(createTransfer({ token: stranger }), terms)).toBe(false)
})
