import type { Order } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { type Followed, offerWords, tellOrder, unusualWords } from './order-words.ts'
import { sampleOrder } from './sample-order.ts'

const ITO = 10n ** 18n
const hash = `0x${'ab'.repeat(32)}`
const wei = (ito: bigint) => (ito * ITO).toString()
const nowMs = Date.parse(sampleOrder.createdAt)
const tell = (change: Partial<Order>, followed: Followed = null) =>
  tellOrder({ ...sampleOrder, ...change }, { coin: 'ETH', followed, nowMs })

describe('tellOrder', () => {
  it.each<[string, Partial<Order>, string]>([
    [
      'underpaid',
      { status: 'underpaid', priceWei: wei(25n), paidWei: wei(20n), missingWei: wei(5n) },
      'We saw 20 of 25 ITO. Send 5 more, from the same wallet, or contact support. It can be topped up until 22 Nov 15:00 UTC.',
    ],
    [
      'sped up',
      { status: 'seen', transactionHash: hash, replacedHashes: ['0x1'] },
      `You sped this up. Now watching ${hash}. Your payment is on its way. You may close this page; the payment is found either way.`,
    ],
    [
      'confirming',
      { status: 'confirming', confirmations: 1, required: 2 },
      '1 more confirmation. You may close this page; the payment is found either way.',
    ],
    [
      'paid too much, in parts, and late',
      { status: 'paid', paidWei: wei(12n), excessWei: wei(2n), flags: ['over', 'multiple', 'late'] },
      'Live alerts are on. The payment was read from the chain, not from your browser. 12 ITO arrived, 2 more than the price: contact support to have it sent back. It arrived after the time limit and was honoured. It came in several transfers.',
    ],
    [
      'a chain that is silent',
      { status: 'confirming', message: 'The payment chain can’t be reached right now.' },
      'The payment chain can’t be reached right now. You may close this page; the payment is found either way.',
    ],
    [
      'underpaid for good',
      { status: 'underpaid', watchedUntil: '2026-11-21T13:00:00.000Z', message: 'The operator decides.' },
      'The operator decides.',
    ],
    [
      'rolled back',
      { status: 'reorganised' },
      'The network rolled back the block that held your payment. It usually comes back by itself; we keep watching. Do not pay again.',
    ],
    [
      'reverted',
      { status: 'failed', transactionHash: hash },
      'The network rejected the payment. No ITO left your wallet; only the network fee was spent.',
    ],
    [
      'dropped',
      { status: 'dropped', transactionHash: hash },
      'The network dropped this transaction, or another one took its place. No ITO left your wallet with it. You can pay again.',
    ],
  ])('%s', (_name, change, sentence) => {
    expect(tell(change)).toBe(sentence)
  })

  it('says nothing of an order that only waits to be paid', () => {
    expect(tell({})).toBeNull()
  })

  it('names the fee of a reverted one, and a cancellation, where this page has followed it', () => {
    const feeWei = 400_000_000_000_000n
    expect(tell({ status: 'failed', transactionHash: hash }, { hash, result: 'reverted', feeWei })).toBe(
      'The network rejected the payment. No ITO left your wallet; the fee of 0.0004 ETH was spent.',
    )
    const cancelled = { hash, result: 'cancelled', feeWei } as const
    for (const status of ['open', 'seen', 'dropped'] as const) {
      expect(tell({ status, transactionHash: hash }, cancelled)).toBe('You cancelled this payment in your wallet.')
    }
    expect(tell({ status: 'dropped', transactionHash: '0x1' }, cancelled), 'of another transaction').toMatch(
      /^The network/,
    )
  })

  it('tells a queued period from one that runs', () => {
    const subscription = {
      id: sampleOrder.id,
      userId: sampleOrder.id,
      planType: '6h' as const,
      tokenAmount: '1',
      startTime: '2026-11-23T04:39:00.000Z',
      endTime: '2026-11-23T10:39:00.000Z',
      transactionHash: hash,
      isActive: false,
    }
    expect(tell({ status: 'paid', subscription })).toBe('Your plan starts 23 Nov 04:39 UTC, when the running one ends.')
    const begun = { ...subscription, startTime: new Date(nowMs + 900).toISOString() }
    expect(tell({ status: 'paid', subscription: begun }), 'by a slow clock').toMatch(/^Live alerts are on\./)
  })
})

describe('unusualWords', () => {
  it.each<[Partial<Order>, string[]]>([
    [{}, []],
    [{ status: 'underpaid', flags: ['under'], paidWei: wei(4n), missingWei: wei(6n) }, ['6 ITO short']],
    [{ status: 'paid', flags: ['multiple', 'under'] }, ['topped up', 'in several transfers']],
    [{ status: 'paid', flags: ['over', 'late'], excessWei: wei(2n) }, ['2 ITO too much', 'after its time limit']],
    [{ status: 'expired', paidWei: wei(4n) }, ['4 of 10 ITO arrived']],
  ])('case %#', (change, words) => {
    expect(unusualWords({ ...sampleOrder, ...change })).toEqual(words)
  })
})

it('says what the wallet will be asked, to the token', () => {
  const offer = { amountWei: 10n * ITO, chainName: 'Local Chain', planType: '6h' } as const
  expect(offerWords({ ...offer, path: 'transfer' }, nowMs)).toBe(
    'One transfer of exactly 10 ITO on Local Chain. Then we wait for it to be in a block. Access ends 21 Nov 20:00 UTC and does not renew.',
  )
  expect(offerWords({ ...offer, path: 'approve' }, nowMs)).toMatch(
    /^You approve exactly 10 ITO on Local Chain and the server collects them, no more\./,
  )
})
