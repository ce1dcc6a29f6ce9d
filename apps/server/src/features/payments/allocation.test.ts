import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { describe, expect, test } from 'vitest'
import {
  createTransfer,
  ITO,
  now,
  payer,
  terms as payment,
  stranger,
  treasury,
} from '../../../test/support/test-transfer.ts'
import {
  addOrders,
  allocateIncomingTransfers,
  listIncoming,
  type OwnedTransfers,
  removeRecorded,
} from './allocation.ts'
import type { ChainTransaction } from './transaction.ts'

const order = {
  id: 'order',
  accountId: 'account',
  payer,
  treasury,
  planId: '6h' as const,
  priceWei: 10n * ITO,
  createdAt: now,
  expiresAt: new Date(now.getTime() + 30 * MINUTE_MS),
  watchedUntil: new Date(now.getTime() + HOUR_MS),
  cancelledAt: null,
  couponReleasedAt: null,
  txHash: null,
  collectionHashes: [],
}
const terms = { order: { toleranceBps: 0, priceOf: () => 10n * ITO, maxAgeMs: HOUR_MS }, payment }
const createPart = (amount: bigint, orderId = order.id) => ({
  ...createTransfer({ logIndex: 9, amountWei: amount * ITO }),
  orderId,
})
const lateAt = new Date(now.getTime() + 31 * MINUTE_MS)

describe('listIncoming: lists', () => {
  const createMined = (transfers: ReturnType<typeof createTransfer>[], confirmations = 3): ChainTransaction => ({
    state: 'mined',
    confirmations,
    blockAt: now,
    transfers,
  })
  const [own, second, other] = [
    createTransfer(),
    createTransfer({ logIndex: 1 }),
    createTransfer({ logIndex: 2, payer: stranger }),
  ]
  test.each<[string, ChainTransaction, unknown[]]>([
    ['nothing when the transaction is pending', { state: 'pending', sender: null }, []],
    ['nothing when a confirmation is missing', createMined([own], 2), []],
    ['nothing when it transfers another token', createMined([createTransfer({ token: stranger })]), []],
    ['nothing when the recipient is not the treasury', createMined([createTransfer({ recipient: stranger })]), []],
    [
      'the transfers of each payer in order when there are several',
      createMined([own, other, second]),
      [[own, second], [other]],
    ],
  ])('%s', (_name, transaction, expected) => {
    expect(listIncoming(transaction, payment)).toEqual(expected)
  })
})

test('removeRecorded: removes recorded transfers, and payers when all their transfers are recorded', () => {
  const [first, second] = [createTransfer(), createTransfer({ logIndex: 1 })]
  const other = createTransfer({ txHash: `0x${'c'.repeat(64)}` })
  const incoming: OwnedTransfers[] = [
    { accountId: 'account', transfers: [first, second] },
    { accountId: null, transfers: [other] },
  ]
  expect(removeRecorded(incoming, new Set())).toEqual(incoming)
  expect(removeRecorded(incoming, new Set([`${first.txHash}:0`, `${other.txHash}:0`]))).toEqual([
    { accountId: 'account', transfers: [second] },
  ])
})

describe('addOrders: leaves out', () => {
  const incoming: OwnedTransfers[] = [
    { accountId: 'account', transfers: [createTransfer(), createTransfer({ logIndex: 1 })] },
  ]
  test.each([
    ['the order of another account', { accountId: 'other' }],
    ['the order of another wallet', { payer: stranger }],
    ['the order for another treasury', { treasury: stranger }],
  ])('%s', (_name, change) => {
    expect(addOrders(incoming, [{ ...order, ...change }, order], [])).toEqual([
      { ...incoming[0], orders: [order], parts: [] },
    ])
  })

  test('partial payments that are being credited now', () => {
    const [earlierPart, currentPart] = [createPart(1n), { ...createPart(1n), logIndex: 1 }]
    expect(addOrders(incoming, [order], [earlierPart, currentPart])).toEqual([
      { ...incoming[0], orders: [order], parts: [earlierPart] },
    ])
  })
})

describe('allocateIncomingTransfers: without an order, records a transfer', () => {
  const expiredAt = new Date(now.getTime() - 24 * HOUR_MS - 1)
  test.each([
    [
      'as unmatched when its amount is no plan’s price',
      createTransfer({ amountWei: 11n * ITO }),
      'account',
      'other_amount',
    ],
    ['as unmatched when it is too old', createTransfer({ blockAt: expiredAt }), 'account', 'too_old'],
    ['as unmatched when the wallet has no owner', createTransfer(), null, 'unknown_wallet'],
  ])('%s', (_name, received, accountId, reason) => {
    const transfers = { accountId, transfers: [received] as [typeof received], orders: [], parts: [] }
    expect(allocateIncomingTransfers(transfers, now, terms)).toEqual({
      payments: [],
      unmatched: [{ transfer: received, reason, orderId: null, now }],
      orderUpdates: [],
    })
  })

  test('as a payment that starts a period when its amount is a plan’s price', () => {
    const received = createTransfer({ amountWei: 30n * ITO })
    const transfers: [typeof received] = [received]
    expect(allocateIncomingTransfers({ accountId: 'account', transfers, orders: [], parts: [] }, now, terms)).toEqual({
      payments: [{ transfer: received, accountId: 'account', planId: '24h', orderId: null, now, startsPeriod: true }],
      unmatched: [],
      orderUpdates: [],
    })
  })
})

describe('allocateIncomingTransfers: for an order', () => {
  const allocateForOrder = (
    transfers: OwnedTransfers['transfers'],
    change = {},
    parts: ReturnType<typeof createPart>[] = [],
  ) =>
    allocateIncomingTransfers({ accountId: 'account', transfers, orders: [{ ...order, ...change }], parts }, now, terms)
  const [one, two] = [
    createTransfer({ amountWei: 4n * ITO }),
    createTransfer({ logIndex: 1, amountWei: 6n * ITO, blockNumber: 8 }),
  ]
  const { txHash, blockNumber } = one

  test('records a partial payment as unmatched when the price is not reached', () => {
    expect(allocateForOrder([one])).toEqual({
      payments: [],
      unmatched: [{ transfer: one, reason: 'partial', orderId: 'order', now }],
      orderUpdates: [{ id: 'order', txHash, blockNumber, flags: ['under'] }],
    })
  })

  test('records one update with all flags when an admin must decide about one of two transfers', () => {
    const lateTransfer = { ...two, blockAt: lateAt }
    expect(allocateForOrder([one, lateTransfer], { priceWei: 9n * ITO })).toEqual({
      payments: [],
      unmatched: [
        { transfer: lateTransfer, reason: 'late', orderId: 'order', now },
        { transfer: one, reason: 'partial', orderId: 'order', now },
      ],
      orderUpdates: [{ id: 'order', txHash, blockNumber: 8, flags: ['late', 'under'] }],
    })
  })

  test('records an update for each order when two orders are paid', () => {
    const orders = [
      { ...order, priceWei: 4n * ITO },
      { ...order, id: 'other', priceWei: 6n * ITO },
    ]
    const { payments, orderUpdates } = allocateIncomingTransfers(
      { accountId: 'account', transfers: [one, two], orders, parts: [] },
      now,
      terms,
    )
    expect(payments.map(({ transfer: paid, orderId }) => [paid, orderId])).toEqual([
      [one, 'order'],
      [two, 'other'],
    ])
    expect(orderUpdates).toEqual([
      { id: 'order', txHash, blockNumber, flags: [], paidAt: now },
      { id: 'other', txHash, blockNumber: 8, flags: [], paidAt: now },
    ])
  })

  test.each([
    ['the only transfer when it pays the price', [createTransfer()] as const, [], []],
    ['the last transfer when several pay the price', [one, two] as const, [], ['multiple']],
    [
      'the transfer after its own parts when they pay the price',
      [two] as const,
      [createPart(4n), createPart(1n, 'x')],
      ['multiple'],
    ],
  ])('starts the period with %s', (_name, transfers, parts, flags) => {
    const paidTransfers = [...parts.filter(({ orderId }) => orderId === 'order'), ...transfers]
    const last = paidTransfers.at(-1)
    expect(allocateForOrder([...transfers], {}, parts)).toEqual({
      payments: paidTransfers.map((counted) => ({
        transfer: counted,
        accountId: 'account',
        planId: '6h',
        orderId: 'order',
        now,
        startsPeriod: counted === last,
      })),
      unmatched: [],
      orderUpdates: [{ id: 'order', txHash, blockNumber: last?.blockNumber, flags, paidAt: now }],
    })
  })
})
