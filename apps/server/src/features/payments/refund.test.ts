import { parseUnits } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Transfer } from '../../chain/transfer.ts'
import { acceptRefund } from './refund.ts'
import type { ChainTransaction } from './transaction.ts'

const address = (digit: string): `0x${string}` => `0x${digit.repeat(40)}`
const [token, treasury, payer, stranger] = [address('1'), address('2'), address('3'), address('4')]
const ito = (amount: string) => parseUnits(amount, 18)
const terms = { chainId: 31337, token, treasury, confirmations: 3, maxAgeHours: 48 } as Parameters<
  typeof acceptRefund
>[3]

const transfer = (change: Partial<Transfer> = {}): Transfer => ({
  ...{ chainId: 31337, txHash: '0xaa', logIndex: 0, blockNumber: 5, blockHash: '0xbb', blockAt: new Date(0) },
  ...{ token, payer: treasury, recipient: payer, amountWei: ito('28'), ...change },
})
const mined = (transfers: Transfer[], confirmations = 3): ChainTransaction => ({
  ...{ state: 'mined', confirmations, blockAt: new Date(0), transfers },
})
const messages: Record<string, string> = {
  payment_unknown: 'Transaction not found on the chain. Check its hash and the network.',
  payment_reverted: 'This transaction failed on the chain. No ITO was transferred.',
  payment_confirming: 'This transaction is not confirmed yet. Try again in a minute.',
  payment_wrong_token: 'This transaction does not transfer ITO.',
  payment_wrong_sender: `This transaction does not transfer ITO from the treasury, ${treasury}.`,
  payment_wrong_recipient: `This transaction does not pay ${payer}, who sent the payment.`,
  payment_used: 'This transaction is already recorded as a refund.',
}
const target = { token, payer, treasury, amountWei: ito('28'), refundedWei: 0n }

describe('acceptRefund: refuses', () => {
  test.each<[string, ChainTransaction, string, { refundedWei?: bigint; used?: number[] }]>([
    ['an unknown transaction', { state: 'unknown' }, 'payment_unknown', {}],
    ['a failed transaction', { state: 'reverted', sender: treasury, blockNumber: 1 }, 'payment_reverted', {}],
    ['a pending transaction', { state: 'pending', sender: null }, 'payment_confirming', {}],
    ['too few confirmations', mined([transfer()], 2), 'payment_confirming', {}],
    ['no transfer', mined([]), 'payment_wrong_token', {}],
    ['another token', mined([transfer({ token: stranger })]), 'payment_wrong_token', {}],
    ['a transfer of another wallet', mined([transfer({ payer: stranger })]), 'payment_wrong_sender', {}],
    ['the payment itself', mined([transfer({ payer, recipient: treasury })]), 'payment_wrong_sender', {}],
    ['another recipient', mined([transfer({ recipient: stranger })]), 'payment_wrong_recipient', {}],
    ['a transfer of nothing', mined([transfer({ amountWei: 0n })]), 'payment_wrong_recipient', {}],
    ['one wei too much', mined([transfer({ amountWei: ito('28') + 1n })]), 'refund_too_large', {}],
    ['more than is left', mined([transfer({ amountWei: 2n })]), 'refund_too_large', { refundedWei: ito('28') - 1n }],
    ['two transfers that are too much', mined([transfer(), transfer({ logIndex: 1 })]), 'refund_too_large', {}],
    ['a transfer that is recorded', mined([transfer()]), 'payment_used', { used: [0] }],
  ])('%s', (_, transaction, code, { refundedWei = 0n, used = [] }) => {
    expect(() => acceptRefund(transaction, { ...target, refundedWei }, new Set(used), terms)).toThrow(
      expect.objectContaining({ code, ...(messages[code] ? { message: messages[code] } : {}) }),
    )
  })

  test('a sum above the payment, with both amounts', () => {
    const transaction = mined([transfer({ amountWei: ito('3') })])
    expect(() => acceptRefund(transaction, { ...target, refundedWei: ito('26') }, new Set(), terms)).toThrow(
      'The refunds would be 29 ITO, more than the payment of 28 ITO.',
    )
  })
})

test('acceptRefund: takes the transfers from the treasury to the payer, in full or in part', () => {
  const [part, rest] = [transfer({ amountWei: ito('8') }), transfer({ logIndex: 2, amountWei: ito('20') })]
  const others = [transfer({ logIndex: 1, recipient: stranger }), transfer({ logIndex: 3, token: stranger })]
  expect(acceptRefund(mined([part, ...others, rest]), target, new Set(), terms)).toEqual([part, rest])
  expect(acceptRefund(mined([part, rest]), target, new Set([0]), terms)).toEqual([rest])
})

test('acceptRefund: takes a transfer from the treasury of the payment, or from the present one after a change', () => {
  const former = { ...target, treasury: stranger }
  const refund = transfer({ payer: stranger })
  expect(acceptRefund(mined([refund]), former, new Set(), terms)).toEqual([refund])
  expect(acceptRefund(mined([transfer()]), former, new Set(), terms)).toEqual([transfer()])
  const other = mined([transfer({ payer })])
  expect(() => acceptRefund(other, former, new Set(), terms)).toThrow(`the treasury, ${stranger} or ${treasury}.`)
  expect(() => acceptRefund(mined([refund]), { ...target, treasury: null }, new Set(), terms)).toThrow(
    `the treasury, ${treasury}.`,
  )
})

test('acceptRefund: takes only transfers of the token that was paid when another one is configured since', () => {
  const former = { ...target, token: stranger }
  const refund = transfer({ token: stranger })
  expect(acceptRefund(mined([refund]), former, new Set(), terms)).toEqual([refund])
  expect(() => acceptRefund(mined([transfer()]), former, new Set(), terms)).toThrow(
    expect.objectContaining({
      code: 'payment_wrong_token',
      message: `This transaction does not transfer ITO of the contract that was paid, ${stranger}.`,
    }),
  )
})
