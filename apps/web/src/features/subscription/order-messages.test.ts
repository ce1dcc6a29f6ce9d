import type { Order } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { sampleOrder } from '../../../test/support/sample-order.ts'
import { utcStyle } from '../../ui/time-style.ts'
import { describeOffer, describeOrder, listRemarks, type TransactionOutcome } from './order-messages.ts'

const ITO = 10n ** 18n
const hash = `0x${'ab'.repeat(32)}`
const toWei = (ito: bigint) => (ito * ITO).toString()
const nowMs = Date.parse(sampleOrder.createdAt)
const describeChanged = (change: Partial<Order>, outcome: TransactionOutcome = null) =>
  describeOrder({ ...sampleOrder, ...change }, { coin: 'ETH', outcome, nowMs, style: utcStyle })

describe('describeOrder', () => {
  it.each<[string, Partial<Order>, string]>([
    [
      'underpaid',
      { status: 'underpaid', priceWei: toWei(25n), paidWei: toWei(20n), missingWei: toWei(5n) },
      'We saw 20 of 25 ITO. Send 5 more, from the same wallet, or contact support. The order can be topped up until 22 Nov 15:00:00 UTC.',
    ],
    [
      'sped up',
      { status: 'seen', transactionHash: hash, replacedHashes: ['0x1'] },
      `You replaced the transaction. Now watching ${hash}. Your payment is on its way. You may close this page; the payment is found either way.`,
    ],
    [
      'confirming',
      { status: 'confirming', confirmations: 1, required: 2 },
      '1 more confirmation. You may close this page; the payment is found either way.',
    ],
    [
      'overpaid late in several transfers',
      { status: 'paid', paidWei: toWei(12n), excessWei: toWei(2n), flags: ['over', 'multiple', 'late'] },
      'Live alerts are on. The payment was read from the chain, not from your browser. 12 ITO arrived, 2 more than the price: contact support to have it sent back. The payment arrived after the time limit and was honoured. The payment came in several transfers.',
    ],
    [
      'confirming while the chain is unreachable',
      { status: 'confirming', message: 'The payment chain can’t be reached right now.' },
      'The payment chain can’t be reached right now. You may close this page; the payment is found either way.',
    ],
    [
      'underpaid after the time to top up',
      { status: 'underpaid', watchedUntil: '2026-11-21T13:00:00.000Z', message: 'The operator decides.' },
      'The operator decides.',
    ],
    [
      'rolled back',
      { status: 'reorganised' },
      'The network rolled back the block that held your payment. The payment usually comes back by itself; we keep watching. Do not pay again.',
    ],
    [
      'reverted',
      { status: 'failed', transactionHash: hash },
      'The network rejected the payment. No ITO left your wallet; only the network fee was spent.',
    ],
    [
      'expired without a transaction',
      { status: 'expired', message: 'This purchase has expired. A payment that is on its way still counts.' },
      'This purchase has expired. A payment that is on its way still counts. Order again at today’s price.',
    ],
    [
      'expired with a transaction that may be pending',
      { status: 'expired', transactionHash: hash, isPending: true },
      `This purchase has expired. Before you order again, check in your wallet that transaction ${hash} is not pending.`,
    ],
    [
      'expired with a transaction that arrived too late',
      { status: 'expired', transactionHash: hash, message: '15 ITO arrived too late.' },
      '15 ITO arrived too late. Order again at today’s price.',
    ],
    [
      'dropped',
      { status: 'dropped', transactionHash: hash },
      'The network dropped this transaction, or another transaction replaced it. This transaction transferred no ITO from your wallet. You can pay again.',
    ],
  ])('describes an order that is %s', (_name, change, message) => {
    expect(describeChanged(change)).toBe(message)
  })

  it('returns null when the order is open without a message', () => {
    expect(describeChanged({})).toBeNull()
  })

  it("states the spent fee or the cancellation when the outcome of the order's transaction is known", () => {
    const feeWei = 400_000_000_000_000n
    expect(describeChanged({ status: 'failed', transactionHash: hash }, { hash, result: 'reverted', feeWei })).toBe(
      'The network rejected the payment. No ITO left your wallet; the fee of 0.0004 ETH was spent.',
    )
    const cancelled = { hash, result: 'cancelled', feeWei } as const
    for (const status of ['open', 'seen', 'dropped'] as const) {
      expect(describeChanged({ status, transactionHash: hash }, cancelled)).toBe(
        'You cancelled this payment in your wallet.',
      )
    }
    expect(describeChanged({ status: 'dropped', transactionHash: '0x1' }, cancelled), 'of another transaction').toMatch(
      /^The network/,
    )
  })

  it('shows the start time when the paid period is queued', () => {
    const subscription = {
      id: sampleOrder.id,
      userId: sampleOrder.id,
      planType: '6h' as const,
      tokenAmount: '1',
      startTime: '2026-11-23T04:39:00.000Z',
      endTime: '2026-11-23T10:39:00.000Z',
      transactionHash: hash,
      isActive: false,
      cancelledAt: null,
    }
    expect(describeChanged({ status: 'paid', subscription })).toBe(
      'Your plan starts 23 Nov 04:39:00 UTC, when the running one ends.',
    )
    const startedSubscription = { ...subscription, startTime: new Date(nowMs + 900).toISOString() }
    expect(describeChanged({ status: 'paid', subscription: startedSubscription }), 'with a slow browser clock').toMatch(
      /^Live alerts are on\./,
    )
  })
})

describe('listRemarks', () => {
  it.each<[Partial<Order>, string[]]>([
    [{}, []],
    [{ status: 'underpaid', flags: ['under'], paidWei: toWei(4n), missingWei: toWei(6n) }, ['6 ITO short']],
    [{ status: 'paid', flags: ['multiple', 'under'] }, ['topped up', 'in several transfers']],
    [{ status: 'expired', flags: ['under'] }, []],
    [{ status: 'paid', flags: ['over', 'late'], excessWei: toWei(2n) }, ['2 ITO too much', 'after its time limit']],
    [{ status: 'expired', paidWei: toWei(4n) }, ['4 of 10 ITO arrived']],
  ])('case %#: returns the remarks of an order', (change, remarks) => {
    expect(listRemarks({ ...sampleOrder, ...change })).toEqual(remarks)
  })
})

it('describeOffer: states the exact amount and the method for each payment path', () => {
  const offeredOrder = { amountWei: 10n * ITO, chainName: 'Local Chain', planType: '6h' } as const
  expect(describeOffer({ ...offeredOrder, path: 'transfer' }, nowMs, utcStyle)).toBe(
    'One transfer of exactly 10 ITO on Local Chain. Then we wait until the payment is in a block. Access ends 21 Nov 20:00:00 UTC and does not renew.',
  )
  expect(describeOffer({ ...offeredOrder, path: 'approve' }, nowMs, utcStyle)).toMatch(
    /^You approve exactly 10 ITO on Local Chain\. The server collects this amount and no more\./,
  )
})

it('describeOrder and describeOffer: write times in the zone of the reader', () => {
  const style = { timeZone: 'Asia/Tokyo', hourCycle: '24' } as const
  const context = { coin: 'ETH', outcome: null, nowMs, style }
  expect(describeOrder({ ...sampleOrder, status: 'underpaid' }, context)).toMatch(/until 23 Nov 00:00:00 GMT\+9\.$/)
  const offeredOrder = { amountWei: 10n * ITO, chainName: 'Local Chain', planType: '6h', path: 'transfer' } as const
  expect(describeOffer(offeredOrder, nowMs, style)).toContain('Access ends 22 Nov 05:00:00 GMT+9 and')
})
