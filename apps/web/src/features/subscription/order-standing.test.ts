import type { Order, Subscription } from '@tocsin/protocol'
import { orderStatuses } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { findBegun, findCurrent, isMoving, isPayable, isUnderWay, listQueued, pauseMs } from './order-standing.ts'
import { sampleOrder } from './sample-order.ts'

const hash = `0x${'ab'.repeat(32)}`
const order = (id: string, change: Partial<Order> = {}): Order => ({ ...sampleOrder, id, ...change })

describe('what is under way is never paid again', () => {
  it.each([
    [null, ['seen', 'confirming', 'reorganised'], ['open', 'underpaid', 'failed', 'dropped']],
    [hash, ['open', 'seen', 'confirming', 'reorganised'], ['underpaid', 'failed', 'dropped']],
  ])('with the transaction %s', (transactionHash, underWay, payable) => {
    const all = orderStatuses.map((status) => order('x', { status, transactionHash }))
    expect(all.filter(isUnderWay).map(({ status }) => status)).toEqual(underWay)
    expect(all.filter(isPayable).map(({ status }) => status)).toEqual(payable)
  })
})

describe('isMoving', () => {
  const lateMs = Date.parse(sampleOrder.expiresAt)
  it.each<[string, Partial<Order>, number, boolean]>([
    ['paid', { status: 'paid' }, lateMs - 1, false],
    ['open, over its time', {}, lateMs, false],
    ['open', {}, lateMs - 1, true],
    ['seen, over its time', { status: 'seen' }, lateMs, true],
  ])('%s', (_name, change, nowMs, expected) => {
    expect(isMoving(order('a', change), nowMs)).toBe(expected)
  })
})

describe('pauseMs: an order', () => {
  it.each(orderStatuses)(
    'that is %s is read again as long as a dialog shows it, because a payment may still land',
    (status) => {
      const shown = order('a', { status, transactionHash: null })
      expect(pauseMs(shown, 100, true)).toBe(4000)
      expect(pauseMs(shown, 100, false)).toBe(isUnderWay(shown) ? 4000 : false)
    },
  )
})

describe('findCurrent', () => {
  it.each<[string, Order[], string[], string | null]>([
    ['nothing', [], [], null],
    ['begun only', [order('a')], [], null],
    ['done', [order('a', { status: 'paid', transactionHash: hash })], [], null],
    ['stopped by hand', [order('a', { status: 'seen' })], ['a'], null],
    ['underpaid for good', [order('a', { status: 'underpaid', watchedUntil: sampleOrder.createdAt })], [], null],
    ['underpaid', [order('b'), order('a', { status: 'underpaid' })], [], 'a'],
    ['under way before underpaid', [order('b', { status: 'underpaid' }), order('a', { status: 'seen' })], [], 'a'],
  ])('%s', (_name, orders, stopped, expected) => {
    expect(findCurrent(orders, stopped, Date.parse(sampleOrder.createdAt))?.id ?? null).toBe(expected)
  })
})

describe('findBegun', () => {
  const wish = {
    planType: '6h' as const,
    payer: sampleOrder.payer.toLowerCase(),
    nowMs: Date.parse(sampleOrder.createdAt),
  }
  it.each<[string, Partial<Order>, boolean]>([
    ['another plan', { planType: '24h' }, false],
    ['another wallet', { payer: sampleOrder.treasury }, false],
    ['expired by now', { expiresAt: sampleOrder.createdAt }, false],
    ['on its way', { transactionHash: hash }, false],
    ['underpaid', { status: 'underpaid' }, false],
    ['given up', { status: 'cancelled' }, false],
    ['open', {}, true],
    ['dropped', { status: 'dropped', transactionHash: hash }, true],
  ])('%s: %s', (_name, change, isTaken) => {
    expect(findBegun([order('a', change)], wish) !== null).toBe(isTaken)
  })
})

describe('listQueued', () => {
  const nowMs = Date.parse('2026-11-21T14:00:00.000Z')
  const period = (startTime: string): Subscription => ({
    id: sampleOrder.id,
    userId: sampleOrder.id,
    planType: '6h',
    tokenAmount: '1',
    startTime,
    endTime: '2026-11-23T14:00:00.000Z',
    transactionHash: hash,
    isActive: false,
  })
  it('is what was paid and has not begun, the next first', () => {
    const orders = [
      order('c', { status: 'paid', subscription: period('2026-11-22T02:00:00.000Z') }),
      order('b', { status: 'paid', subscription: period('2026-11-21T20:00:00.000Z') }),
      order('a', { status: 'paid', subscription: period('2026-11-21T14:00:00.000Z') }),
      order('z', { status: 'reorganised', subscription: period('2026-11-22T20:00:00.000Z') }),
      order('y'),
    ]
    expect(listQueued(orders, nowMs).map(({ startTime }) => startTime)).toEqual([
      '2026-11-21T20:00:00.000Z',
      '2026-11-22T02:00:00.000Z',
    ])
  })
})
