import type { Order, Subscription } from '@tocsin/protocol'
import { orderStatuses } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { sampleOrder } from '../../../test/support/sample-order.ts'
import {
  computePollIntervalMs,
  findActiveOrder,
  isInProgress,
  isPayable,
  listQueuedPeriods,
  mayChange,
} from './order-state.ts'

const hash = `0x${'ab'.repeat(32)}`
const createOrder = (id: string, change: Partial<Order> = {}): Order => ({ ...sampleOrder, id, ...change })

describe('isInProgress and isPayable never accept the same order', () => {
  it.each([
    ['absent', {}, ['seen', 'confirming', 'reorganised'], ['open', 'underpaid', 'failed', 'dropped']],
    [
      'pending',
      { transactionHash: hash, isPending: true },
      ['open', 'seen', 'confirming', 'reorganised'],
      ['underpaid', 'failed', 'dropped'],
    ],
    [
      'recorded',
      { transactionHash: hash },
      ['seen', 'confirming', 'reorganised'],
      ['open', 'underpaid', 'failed', 'dropped'],
    ],
  ])('when the transaction is %s', (_name, transaction, inProgress, payable) => {
    const allOrders = orderStatuses.map((status) => createOrder('x', { status, ...transaction }))
    expect(allOrders.filter(isInProgress).map(({ status }) => status)).toEqual(inProgress)
    expect(allOrders.filter(isPayable).map(({ status }) => status)).toEqual(payable)
  })
})

describe('mayChange', () => {
  const expiryMs = Date.parse(sampleOrder.expiresAt)
  it.each<[string, Partial<Order>, number, boolean]>([
    ['a paid order', { status: 'paid' }, expiryMs - 1, false],
    ['an open order after its expiry', {}, expiryMs, false],
    ['an open order before its expiry', {}, expiryMs - 1, true],
    ['a seen order after its expiry', { status: 'seen' }, expiryMs, true],
  ])('decides whether the status can still change for %s', (_name, change, nowMs, expected) => {
    expect(mayChange(createOrder('a', change), nowMs)).toBe(expected)
  })
})

describe('computePollIntervalMs', () => {
  it.each(orderStatuses)('polls an order with status %s when a dialog shows it', (status) => {
    const shownOrder = createOrder('a', { status, transactionHash: null })
    expect(computePollIntervalMs(shownOrder, 100, true)).toBe(4000)
    expect(computePollIntervalMs(shownOrder, 100, false)).toBe(isInProgress(shownOrder) ? 4000 : false)
  })
})

describe('findActiveOrder', () => {
  it.each<[string, Order[], string[], string | null]>([
    ['there are no orders', [], [], null],
    ['the only order is unpaid', [createOrder('a')], [], null],
    ['the only order is paid', [createOrder('a', { status: 'paid', transactionHash: hash })], [], null],
    ['the order in progress was dismissed', [createOrder('a', { status: 'seen' })], ['a'], null],
    [
      'the time to top up has ended',
      [createOrder('a', { status: 'underpaid', watchedUntil: sampleOrder.createdAt })],
      [],
      null,
    ],
    ['one order is underpaid', [createOrder('b'), createOrder('a', { status: 'underpaid' })], [], 'a'],
    [
      'an older order is in progress and a newer one is underpaid',
      [createOrder('b', { status: 'underpaid' }), createOrder('a', { status: 'seen' })],
      [],
      'a',
    ],
  ])('returns the order to show, or null, when %s', (_name, orders, dismissed, expected) => {
    expect(findActiveOrder(orders, dismissed, Date.parse(sampleOrder.createdAt))?.id ?? null).toBe(expected)
  })
})

describe('listQueuedPeriods', () => {
  const nowMs = Date.parse('2026-11-21T14:00:00.000Z')
  const createPeriod = (startTime: string, cancelledAt: string | null = null): Subscription => ({
    id: sampleOrder.id,
    userId: sampleOrder.id,
    planType: '6h',
    tokenAmount: '1',
    startTime,
    endTime: '2026-11-23T14:00:00.000Z',
    transactionHash: hash,
    isActive: false,
    cancelledAt,
  })
  it('returns paid periods that have not started and were not cancelled, earliest first', () => {
    const orders = [
      createOrder('c', { status: 'paid', subscription: createPeriod('2026-11-22T02:00:00.000Z') }),
      createOrder('b', { status: 'paid', subscription: createPeriod('2026-11-21T20:00:00.000Z') }),
      createOrder('a', { status: 'paid', subscription: createPeriod('2026-11-21T14:00:00.000Z') }),
      createOrder('z', { status: 'reorganised', subscription: createPeriod('2026-11-22T20:00:00.000Z') }),
      createOrder('x', {
        status: 'paid',
        subscription: createPeriod('2026-11-21T16:00:00.000Z', '2026-11-21T13:00:00.000Z'),
      }),
      createOrder('y'),
    ]
    expect(listQueuedPeriods(orders, nowMs).map(({ startTime }) => startTime)).toEqual([
      '2026-11-21T20:00:00.000Z',
      '2026-11-22T02:00:00.000Z',
    ])
  })
})
