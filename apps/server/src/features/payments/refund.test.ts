import { parseUnits } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Transfer } from '../../chain/transfer.ts'
import { acceptRefund } from './refund.ts'
import type { ChainTransaction } from './transaction.ts'

const createAddress = (digit: string): `0x${string}` => `0x${digit.repeat(40)}`
const [token, treasury, payer, stranger] = [
  createAddress('1'),
  createAddress('2'),
  createAddress('3'),
  createAddress('4'),
]
const parseIto = (amount: string) => parseUnits(amount, 18)
const terms = { chainId: 31337, token, treasury, confirmations: 3, maxAgeHours: 48 } as Parameters<
  typeof acceptRefund
>[3]

const createTransfer = (change: Partial<Transfer> = {}): Transfer => ({
  ...{ chainId: 31337, txHash: '0xaa', logIndex: 0, blockNumber: 5, blockHash: '0xbb', blockAt: new Date(0) },
  ...{ token, payer: treasury, recipient: payer, amountWei: parseIto('28'), ...change },
})
const createMined = (transfers: Transfer[], confirmations = 3): ChainTransaction => ({
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
const target = { token, payer, treasury, amountWei: parseIto('28'), excessWei: 0n, refundedWei: 0n }

describe('acceptRefund: refuses', () => {
  test.each<[string, ChainTransaction, string, { refundedWei?: bigint; used?: number[] }]>([
    ['an unknown transaction', { state: 'unknown' }, 'payment_unknown', {}],
    ['a failed transaction', { state: 'reverted', sender: treasury, blockNumber: 1 }, 'payment_reverted', {}],
    ['a pending transaction', { state: 'pending', sender: null }, 'payment_confirming', {}],
    ['too few confirmations', createMined([createTransfer()], 2), 'payment_confirming', {}],
    ['no transfer', createMined([]), 'payment_wrong_token', {}],
    ['another token', createMined([createTransfer({ token: stranger })]), 'payment_wrong_token', {}],
    ['a transfer of another wallet', createMined([createTransfer({ payer: stranger })]), 'payment_wrong_sender', {}],
    ['the payment itself', createMined([createTransfer({ payer, recipient: treasury })]), 'payment_wrong_sender', {}],
    ['another recipient', createMined([createTransfer({ recipient: stranger })]), 'payment_wrong_recipient', {}],
    ['a transfer of nothing', createMined([createTransfer({ amountWei: 0n })]), 'payment_wrong_recipient', {}],
    ['one wei too much', createMined([createTransfer({ amountWei: parseIto('28') + 1n })]), 'refund_too_large', {}],
    [
      'more than is left',
      createMined([createTransfer({ amountWei: 2n })]),
      'refund_too_large',
      { refundedWei: parseIto('28') - 1n },
    ],
    [
      'two transfers that are each too much',
      createMined([0, 1].map((logIndex) => createTransfer({ logIndex, amountWei: parseIto('29') }))),
      'refund_too_large',
      {},
    ],
    ['a transfer that is recorded', createMined([createTransfer()]), 'payment_used', { used: [0] }],
  ])('%s', (_, transaction, code, { refundedWei = 0n, used = [] }) => {
    expect(() => acceptRefund(transaction, { ...target, refundedWei }, new Set(used), terms)).toThrow(
      expect.objectContaining({ code, ...(messages[code] ? { message: messages[code] } : {}) }),
    )
  })

  test('a transfer that would raise the refunds above the payment, with both amounts in the message', () => {
    const transaction = createMined([createTransfer({ amountWei: parseIto('3') })])
    expect(() => acceptRefund(transaction, { ...target, refundedWei: parseIto('26') }, new Set(), terms)).toThrow(
      'The refunds would be 29 ITO, more than the payment of 28 ITO.',
    )
  })
})

test('acceptRefund: accepts only the transfers from the treasury to the payer, of the whole payment or of a part', () => {
  const [part, rest] = [
    createTransfer({ amountWei: parseIto('8') }),
    createTransfer({ logIndex: 2, amountWei: parseIto('20') }),
  ]
  const otherTransfers = [
    createTransfer({ logIndex: 1, recipient: stranger }),
    createTransfer({ logIndex: 3, token: stranger }),
  ]
  expect(acceptRefund(createMined([part, ...otherTransfers, rest]), target, new Set(), terms)).toEqual([part, rest])
  expect(acceptRefund(createMined([part, rest]), target, new Set([0]), terms)).toEqual([rest])
})

test('acceptRefund: accepts for each payment only the transfers that fit when one transaction refunds several', () => {
  const [small, first, second] = ['10', '28', '28'].map((ito, logIndex) =>
    createTransfer({ logIndex, amountWei: parseIto(ito) }),
  ) as [Transfer, Transfer, Transfer]
  const transaction = createMined([small, first, second])
  expect(acceptRefund(transaction, target, new Set(), terms)).toEqual([first])
  expect(acceptRefund(transaction, target, new Set([1]), terms)).toEqual([second])
  expect(acceptRefund(transaction, { ...target, amountWei: parseIto('10') }, new Set(), terms)).toEqual([small])
})

test('acceptRefund: accepts the transfer of the excess, and refuses while another one equals the rest', () => {
  const [excess, whole] = ['10', '28'].map((ito, logIndex) =>
    createTransfer({ logIndex, amountWei: parseIto(ito) }),
  ) as [Transfer, Transfer]
  const overpaidTarget = { ...target, excessWei: parseIto('10') }
  const transaction = createMined([excess, whole])
  expect(() => acceptRefund(transaction, overpaidTarget, new Set(), terms)).toThrow(
    'The refunds would be 38 ITO, more than the payment of 28 ITO. Record the other refunds of this transaction first.',
  )
  expect(acceptRefund(transaction, target, new Set(), terms)).toEqual([whole])
  expect(acceptRefund(transaction, overpaidTarget, new Set([1]), terms)).toEqual([excess])
  const other = createTransfer({ logIndex: 2, amountWei: parseIto('12') })
  expect(acceptRefund(createMined([other, excess]), overpaidTarget, new Set(), terms)).toEqual([excess])
})

test('acceptRefund: refuses to choose a part when the transfers exceed the payment and none equals the rest', () => {
  const transaction = createMined(
    ['8', '9', '20'].map((ito, logIndex) => createTransfer({ logIndex, amountWei: parseIto(ito) })),
  )
  expect(() => acceptRefund(transaction, target, new Set(), terms)).toThrow(
    expect.objectContaining({ code: 'refund_too_large' }),
  )
})

test('acceptRefund: accepts a transfer from the treasury that was paid, or from the current treasury after a change', () => {
  const formerTarget = { ...target, treasury: stranger }
  const refund = createTransfer({ payer: stranger })
  expect(acceptRefund(createMined([refund]), formerTarget, new Set(), terms)).toEqual([refund])
  expect(acceptRefund(createMined([createTransfer()]), formerTarget, new Set(), terms)).toEqual([createTransfer()])
  const other = createMined([createTransfer({ payer })])
  expect(() => acceptRefund(other, formerTarget, new Set(), terms)).toThrow(`the treasury, ${stranger} or ${treasury}.`)
  expect(() => acceptRefund(createMined([refund]), { ...target, treasury: null }, new Set(), terms)).toThrow(
    `the treasury, ${treasury}.`,
  )
})

test('acceptRefund: accepts only transfers of the token that was paid when another token has been configured since', () => {
  const formerTarget = { ...target, token: stranger }
  const refund = createTransfer({ token: stranger })
  expect(acceptRefund(createMined([refund]), formerTarget, new Set(), terms)).toEqual([refund])
  expect(() => acceptRefund(createMined([createTransfer()]), formerTarget, new Set(), terms)).toThrow(
    expect.objectContaining({
      code: 'payment_wrong_token',
      message: `This transaction does not transfer ITO of the contract that was paid, ${stranger}.`,
    }),
  )
})
