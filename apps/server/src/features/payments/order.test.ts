import { MINUTE_MS } from '@tocsin/protocol/durations'
import { describe, expect, test } from 'vitest'
import {
  allocateTransfers,
  computeAmountsWithoutOrder,
  computeExcess,
  computeOrderStatus,
  computeRequiredOnChain,
  computeRequiredWei,
  type OrderState,
  type OrderTerms,
  type UnpaidOrder,
} from './order.ts'

/**
 * Returns the time that is `minutes` after the first order. `ONE_MS` is one millisecond in minutes.
 */
const atMinute = (minutes: number) => new Date(Date.UTC(2026, 0, 15) + Math.round(minutes * MINUTE_MS))
const ONE_MS = 1 / MINUTE_MS

const prices = { '6h': 10_000n, '24h': 30_000n, '3d': 75_000n }
/** An order of 10,000 wei counts as paid from 9,900 wei. */
const terms: OrderTerms = { toleranceBps: 100, priceOf: (planId) => prices[planId], maxAgeMs: 120 * MINUTE_MS }

/**
 * Creates an order that expires at minute 30 and is watched until minute 60. Until minute 180, it
 * still matches a transfer of exactly its price, but that transfer is not credited automatically.
 */
function createOrder(id: string, change: Partial<UnpaidOrder> = {}): UnpaidOrder {
  return {
    id,
    planId: '6h',
    priceWei: 10_000n,
    createdAt: atMinute(0),
    expiresAt: atMinute(30),
    watchedUntil: atMinute(60),
    cancelledAt: null,
    couponReleasedAt: null,
    txHash: null,
    collectionHashes: [],
    parts: [],
    ...change,
  }
}

type Payment = [amountWei: bigint, minutes: number]

/** Returns the allocations as text: kind, order, numbers of the transfers, flags. */
function allocateAsText(orders: readonly UnpaidOrder[], payments: readonly Payment[]): string[] {
  const transfers = payments.map(([amountWei, minutes], number) => ({
    txHash: `0x${number}` as const,
    amountWei,
    blockAt: atMinute(minutes),
  }))
  return allocateTransfers(transfers, orders, terms).map((allocation) => {
    const hashes = allocation.transfers.map(({ txHash }) => txHash).join('+')
    if (allocation.kind === 'none') return `none ${hashes}`
    return [allocation.kind, allocation.order.id, hashes, ...allocation.flags].join(' ')
  })
}

const parts = [{ amountWei: 4_000n }]
const oldOrder = createOrder('old')
const middleOrder = createOrder('middle', { createdAt: atMinute(1) })
const recentOrder = createOrder('recent', { createdAt: atMinute(2) })
const lateFields = { expiresAt: atMinute(10) }
const unwatchedFields = { expiresAt: atMinute(5), watchedUntil: atMinute(10) }
const namedFields = { txHash: '0x0' }
const collectedFields = { collectionHashes: ['0x0'] }

describe('allocateTransfers: assigns no order to a transfer', () => {
  const cases: [string, UnpaidOrder[], Payment][] = [
    ['when there is no order', [], [10_000n, 5]],
    ['when the order was created later than the clock skew allows', [oldOrder], [10_000n, -15 - ONE_MS]],
    ['when the order has been too old for review for a millisecond', [oldOrder], [10_000n, 180 + ONE_MS]],
    ['when its amount is another plan’s price and the order is late', [oldOrder], [30_000n, 40]],
    ['when its amount is not the price and the watch period has ended', [oldOrder], [9_999n, 60 + ONE_MS]],
    ['when it names an order whose watch period has ended', [createOrder('a', namedFields)], [9_999n, 60 + ONE_MS]],
  ]
  test.each(cases)('%s', (_name, orders, payment) => {
    expect(allocateAsText(orders, [payment])).toEqual(['none 0x0'])
  })
})

describe('allocateTransfers: requires an admin to decide about a transfer', () => {
  const changedPrice = { priceWei: 9_000n }
  const cases: [string, Partial<UnpaidOrder>, Payment][] = [
    ['when the watch period has been over for a millisecond', {}, [10_000n, 60 + ONE_MS]],
    ['when the order has the maximum age for review', {}, [10_000n, 180]],
    ['when the reported transaction comes after the watch period', namedFields, [10_000n, 61]],
    ['when it is late and the price has changed', changedPrice, [9_000n, 30 + ONE_MS]],
    ['when the server sent it and the watch period has ended', collectedFields, [10_000n, 60 + ONE_MS]],
    ['when it is in time and the order has lost its coupon', { couponReleasedAt: atMinute(1) }, [10_000n, 5]],
    [
      'when it is late for a cancelled order and the price has changed',
      { ...changedPrice, cancelledAt: atMinute(10) },
      [9_000n, 10 + ONE_MS],
    ],
  ]
  test.each(cases)('%s', (_name, change, payment) => {
    expect(allocateAsText([createOrder('a', change)], [payment])).toEqual(['late a 0x0 late'])
  })
})

describe('allocateTransfers: returns the outcome for one order', () => {
  const cases: [string, Partial<UnpaidOrder>, Payment[], string[]][] = [
    ['when no transfer arrives', { parts }, [], []],
    ['when one wei less than the tolerance allows arrives', {}, [[9_899n, 5]], ['part a 0x0 under']],
    ['when the minimum amount arrives', {}, [[9_900n, 5]], ['paid a 0x0']],
    ['when the price arrives', {}, [[10_000n, 5]], ['paid a 0x0']],
    ['when one wei more than the price arrives', {}, [[10_001n, 5]], ['paid a 0x0 over']],
    ['when the transfer is as early as the clock skew allows', {}, [[10_000n, -15]], ['paid a 0x0']],
    ['when the transfer is at the deadline', {}, [[10_000n, 30]], ['paid a 0x0']],
    ['when the transfer is a millisecond late', {}, [[10_000n, 30 + ONE_MS]], ['paid a 0x0 late']],
    ['when the transfer is at the end of the watch period', {}, [[10_000n, 60]], ['paid a 0x0 late']],
    [
      'when the order was cancelled at the time of the transfer',
      { cancelledAt: atMinute(10) },
      [[10_000n, 10]],
      ['paid a 0x0'],
    ],
    [
      'when the order was cancelled before',
      { cancelledAt: atMinute(10) },
      [[10_000n, 10 + ONE_MS]],
      ['paid a 0x0 late'],
    ],
    [
      'when the order was cancelled after its deadline',
      { cancelledAt: atMinute(40) },
      [[10_000n, 35]],
      ['paid a 0x0 late'],
    ],
    ['when the price has changed and the transfer is in time', { priceWei: 9_000n }, [[9_000n, 30]], ['paid a 0x0']],
    [
      'when the server sent a late transfer and the price has changed',
      { ...collectedFields, priceWei: 9_000n },
      [[9_000n, 60]],
      ['paid a 0x0'],
    ],
    ['when a late amount is no plan’s price', {}, [[9_999n, 40]], ['paid a 0x0 late']],
    ['when a late amount is at the end of the watch period', {}, [[9_000n, 60]], ['part a 0x0 under late']],
    [
      'when a late amount is a plan’s price and a part was received',
      { parts },
      [[10_000n, 40]],
      ['paid a 0x0 over late multiple'],
    ],
    ['when a part was received earlier', { parts }, [[6_000n, 5]], ['paid a 0x0 multiple']],
    ['when two parts leave one wei too little', { parts }, [[5_899n, 5]], ['part a 0x0 under multiple']],
    [
      'when transfers add up',
      {},
      [
        [4_000n, 5],
        [6_000n, 6],
      ],
      ['paid a 0x0+0x1 multiple'],
    ],
    [
      'when one of two transfers is late',
      {},
      [
        [4_000n, 5],
        [6_000n, 31],
      ],
      ['paid a 0x0+0x1 late multiple'],
    ],
    [
      'when it is paid already by an earlier transfer',
      {},
      [
        [10_000n, 5],
        [10_000n, 6],
      ],
      ['paid a 0x0', 'none 0x1'],
    ],
    [
      'when an admin must decide about one of two transfers',
      { priceWei: 9_000n },
      [
        [4_000n, 5],
        [6_000n, 31],
      ],
      ['late a 0x1 late', 'part a 0x0 under'],
    ],
  ]
  test.each(cases)('%s', (_name, change, payments, expected) => {
    expect(allocateAsText([createOrder('a', change)], payments)).toEqual(expected)
  })
})

describe('allocateTransfers: chooses among several orders', () => {
  const cases: [string, UnpaidOrder[], Payment, string][] = [
    [
      'the order of the reported transaction when several have the exact amount',
      [createOrder('a'), createOrder('b', { ...namedFields, createdAt: atMinute(1) })],
      [10_000n, 20],
      'paid b',
    ],
    [
      'the order of the reported transaction, although it is late, when several have the exact amount',
      [createOrder('a'), createOrder('b', { ...namedFields, ...lateFields })],
      [10_000n, 20],
      'paid b',
    ],
    ['the oldest when several have the exact amount', [recentOrder, oldOrder, middleOrder], [10_000n, 20], 'paid old'],
    [
      'the one in time when an older one with the exact amount is late',
      [createOrder('a', lateFields), recentOrder],
      [10_000n, 20],
      'paid recent',
    ],
    ['the newest when all with the exact amount are late', [recentOrder, oldOrder], [10_000n, 40], 'paid recent'],
    [
      'the watched one when a newer one with the exact amount is not watched',
      [createOrder('a', lateFields), createOrder('b', { ...unwatchedFields, createdAt: atMinute(1) })],
      [10_000n, 20],
      'paid a',
    ],
    [
      'the newest when all with the exact amount are past their watch periods',
      [recentOrder, oldOrder],
      [10_000n, 70],
      'late recent',
    ],
    [
      'the one with the exact amount when a newer one is in time',
      [createOrder('a', { ...lateFields, priceWei: 9_950n }), recentOrder],
      [9_950n, 20],
      'late a',
    ],
    [
      'the one with the exact amount when another one is reported',
      [createOrder('a', { ...lateFields, priceWei: 9_950n }), createOrder('b', namedFields)],
      [9_950n, 20],
      'late a',
    ],
    [
      'the one whose missing amount is exact when a part was received',
      [createOrder('a', { parts }), recentOrder],
      [6_000n, 20],
      'paid a',
    ],
    [
      'the order of the reported transaction when none has the exact amount',
      [recentOrder, createOrder('b', { ...namedFields, createdAt: atMinute(1) }), oldOrder],
      [9_999n, 20],
      'paid b',
    ],
    [
      'the order of the reported transaction at the end of its watch period',
      [createOrder('a', { ...namedFields, expiresAt: atMinute(5), watchedUntil: atMinute(20) }), recentOrder],
      [9_999n, 20],
      'paid a',
    ],
    [
      'one in time when the reported one is past its watch period',
      [createOrder('a', { ...namedFields, ...unwatchedFields }), recentOrder],
      [9_999n, 20],
      'paid recent',
    ],
    ['the newest when several are in time', [recentOrder, oldOrder, middleOrder], [9_999n, 20], 'paid recent'],
    [
      'the one in time when a newer one is late',
      [oldOrder, createOrder('b', { ...lateFields, createdAt: atMinute(2) })],
      [9_999n, 20],
      'paid old',
    ],
    ['the newest when all are late', [recentOrder, oldOrder, middleOrder], [9_999n, 40], 'paid recent'],
    [
      'the watched one when a newer one is past its watch period',
      [createOrder('a', lateFields), createOrder('b', { ...unwatchedFields, createdAt: atMinute(1) })],
      [9_999n, 20],
      'paid a',
    ],
  ]
  test.each(cases)('%s', (_name, orders, payment, expected) => {
    const [allocation = ''] = allocateAsText(orders, [payment])
    expect(allocation.split(' ', 2).join(' ')).toBe(expected)
  })

  test('a different order for each of two transfers that have the exact amount', () => {
    const payments: Payment[] = [
      [10_000n, 5],
      [10_000n, 6],
    ]
    expect(allocateAsText([recentOrder, oldOrder], payments)).toEqual(['paid old 0x0', 'paid recent 0x1'])
  })
})

test.each([
  [10_000n, 0, 10_000n],
  [10_000n, 100, 9_900n],
  [9_999n, 1, 9_999n],
  [10_001n, 1, 10_000n],
])(
  'computeRequiredWei: for a price of %d wei and a tolerance of %d basis points returns %d',
  (priceWei, bps, expected) => {
    expect(computeRequiredWei(priceWei, bps)).toBe(expected)
  },
)

test.each([
  ['the whole amount when there is no order', null, 7_000n, 7_000n],
  ['the amount that an admin accepted when it is less', 10_000n, 9_000n, 9_000n],
  ['the price less the tolerance when more was paid', 10_000n, 10_000n, 9_900n],
])('computeRequiredOnChain: requires %s', (_name, priceWei, everCreditedWei, expected) => {
  expect(computeRequiredOnChain(priceWei, everCreditedWei, 100)).toBe(expected)
})

test.each([
  [9n, 10n, 0n],
  [10n, 10n, 0n],
  [12n, 10n, 2n],
])('computeExcess: for a payment of %d wei and a price of %d wei returns %d', (paidWei, priceWei, expected) => {
  expect(computeExcess(paidWei, priceWei)).toBe(expected)
})

describe('computeAmountsWithoutOrder: presents a payment', () => {
  const payment = { amountWei: 12n, priceWei: 10n, revertedAt: null }
  test.each([
    [
      'as exact when its price is unknown',
      { priceWei: null },
      { priceWei: 12n, paidWei: 12n, excessWei: 0n, flags: [] },
    ],
    [
      'as exact when it equals the price',
      { amountWei: 10n },
      { priceWei: 10n, paidWei: 10n, excessWei: 0n, flags: [] },
    ],
    ['with its excess when it exceeds the price', {}, { priceWei: 10n, paidWei: 12n, excessWei: 2n, flags: ['over'] }],
    [
      'with its flag when it was reverted',
      { revertedAt: atMinute(0) },
      { priceWei: 10n, paidWei: 0n, excessWei: 0n, flags: ['over'] },
    ],
  ])('%s', (_name, change, expected) => {
    expect(computeAmountsWithoutOrder({ ...payment, ...change })).toEqual(expected)
  })
})

describe('computeOrderStatus: is', () => {
  const untouchedOrder: OrderState = {
    expiresAt: atMinute(30),
    cancelledAt: null,
    paidAt: null,
    txState: null,
    paidWei: 0n,
    isReverted: false,
  }
  const expiredAt = atMinute(30 + ONE_MS)
  const cancelledAt = atMinute(10)
  test.each<[string, string, Partial<OrderState>, Date]>([
    ['reorganised', 'a payment was reverted', { paidAt: atMinute(5), isReverted: true, paidWei: 1n }, atMinute(20)],
    ['paid', 'it was paid', { paidAt: atMinute(5), paidWei: 1n, txState: 'reorganised', cancelledAt }, expiredAt],
    ['seen', 'a transaction is pending', { txState: 'seen', paidWei: 1n, cancelledAt }, expiredAt],
    ['confirming', 'it lacks confirmations', { txState: 'confirming', paidWei: 1n, cancelledAt }, expiredAt],
    ['reorganised', 'a mined transaction is missing', { txState: 'reorganised', paidWei: 1n, cancelledAt }, expiredAt],
    ['underpaid', 'a part was received', { paidWei: 1n, txState: 'failed', cancelledAt }, expiredAt],
    ['cancelled', 'it was cancelled', { txState: 'dropped', cancelledAt }, expiredAt],
    ['expired', 'the deadline passed a millisecond ago', { txState: 'failed' }, expiredAt],
    ['failed', 'the transaction failed', { txState: 'failed' }, atMinute(30)],
    ['dropped', 'the transaction was dropped', { txState: 'dropped' }, atMinute(30)],
    ['open', 'the deadline is now', {}, atMinute(30)],
    ['open', 'only an unpaid order is marked as reverted', { isReverted: true }, atMinute(20)],
  ])('%s when %s', (status, _when, change, now) => {
    expect(computeOrderStatus({ ...untouchedOrder, ...change }, now)).toBe(status)
  })
})
