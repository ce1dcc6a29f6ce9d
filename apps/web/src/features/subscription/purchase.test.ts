import type { Order } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import type { Funds } from '../../wallet/token-payment.ts'
import {
  findObstacle,
  formatIto,
  noPurchase,
  type Purchase,
  type PurchaseEvent,
  phaseOf,
  reducePurchase,
  type Standing,
  type Terms,
} from './purchase.ts'
import { sampleOrder } from './sample-order.ts'

const ITO = 10n ** 18n
const terms: Terms = {
  chainId: 31337,
  chainName: 'Local Chain',
  coin: 'ETH',
  token: sampleOrder.token,
  treasury: sampleOrder.treasury,
  spender: null,
  path: 'transfer',
  amountWei: 75n * ITO,
}
const rich = { balanceWei: 1000n * ITO, nativeWei: ITO, feeWei: ITO / 2500n, allowanceWei: 0n }
const ready: Standing = {
  isConnected: true,
  isPayer: true,
  isOnChain: true,
  isReadable: true,
  hasSubscription: false,
  funds: rich,
}

describe('findObstacle, in the order in which they are to be mended', () => {
  it.each<[Partial<Standing>, string, string]>([
    [
      { isReadable: false, isConnected: false },
      'unreadable',
      'Payments on Local Chain can’t be seen right now, so nobody should pay. Try again later.',
    ],
    [{ isConnected: false, isOnChain: false, funds: null, hasSubscription: true }, 'connect', 'Wallet not connected'],
    [{ isOnChain: false, funds: null, hasSubscription: true }, 'switch', 'Wrong Network'],
    [{ hasSubscription: true, funds: null }, 'subscribed', 'You already have an active subscription'],
    [
      { isPayer: false, funds: null },
      'payer',
      'The rest has to come from the wallet that sent the first part. Choose it in your wallet.',
    ],
    [
      { funds: { ...rich, balanceWei: 75n * ITO - 1n, nativeWei: 0n } },
      'token',
      'Insufficient ITO tokens. You need 75 ITO but only have 74.99 ITO',
    ],
    [{ funds: null }, 'token', 'Insufficient ITO tokens. You need 75 ITO but only have 0.0 ITO'],
    [
      { funds: { ...rich, balanceWei: 75n * ITO, nativeWei: rich.feeWei - 1n } },
      'gas',
      'You need about 0.0004 ETH for the network fee; you have 0.000399.',
    ],
    [{ funds: { ...rich, nativeWei: 0n } }, 'gas', 'You need about 0.0004 ETH for the network fee; you have 0.'],
  ])('case %#: %s', (change, kind, sentence) => {
    expect(findObstacle(terms, { ...ready, ...change })).toEqual({ kind, sentence })
  })

  it.each<[Partial<Standing>]>([
    [{}],
    [{ funds: { ...rich, balanceWei: 75n * ITO, nativeWei: rich.feeWei } }],
    [{ funds: { ...rich, feeWei: null, nativeWei: null } }],
  ])('nothing stands against it: case %#', (change) => {
    expect(findObstacle(terms, { ...ready, ...change })).toBeNull()
  })
})

describe('phaseOf', () => {
  const asking: Purchase = { ...noPurchase, planId: '6h', orderId: sampleOrder.id, doing: 'paying' }
  const hash = `0x${'ab'.repeat(32)}`

  it.each<[string, Purchase, Order | null, string]>([
    ['nothing chosen', noPurchase, null, 'choose'],
    ['a plan', { ...noPurchase, planId: '6h' }, null, 'confirm'],
    ['the wallet is asked', asking, sampleOrder, 'wallet'],
    ['the hash is reported', { ...asking, doing: 'reporting' }, sampleOrder, 'sent'],
    ['open, nothing asked', { ...asking, doing: null }, sampleOrder, 'confirm'],
    // Money on its way is stronger than a wallet that still seems to be asked.
    ['a transaction that the chain does not know yet', asking, { ...sampleOrder, transactionHash: hash }, 'sent'],
    ['credited while the wallet hangs', asking, { ...sampleOrder, status: 'paid' }, 'active'],
    ['in a block', asking, { ...sampleOrder, status: 'confirming' }, 'confirming'],
    ['topping up', asking, { ...sampleOrder, status: 'underpaid' }, 'wallet'],
    ['underpaid', { ...asking, doing: null }, { ...sampleOrder, status: 'underpaid' }, 'underpaid'],
    ['rolled back', { ...asking, doing: null }, { ...sampleOrder, status: 'reorganised' }, 'reorganised'],
    ['reverted', { ...asking, doing: null }, { ...sampleOrder, status: 'failed', transactionHash: hash }, 'reverted'],
    ['paying a reverted one again', asking, { ...sampleOrder, status: 'failed', transactionHash: hash }, 'wallet'],
  ])('%s', (_name, purchase, order, phase) => {
    expect(phaseOf(purchase, order, rich)).toBe(phase)
  })

  const toCollect: Order = { ...sampleOrder, path: 'approve', spender: sampleOrder.treasury }
  const enough = { ...rich, balanceWei: 10n * ITO, allowanceWei: 10n * ITO }
  it.each<[string, Order, Funds | null, string]>([
    ['an atom too little approved', toCollect, { ...enough, allowanceWei: 10n * ITO - 1n }, 'confirm'],
    ['approved, an atom too little there', toCollect, { ...enough, balanceWei: 10n * ITO - 1n }, 'confirm'],
    ['approved and unknown what is there', toCollect, { ...enough, balanceWei: null }, 'confirm'],
    ['unknown what is approved', toCollect, null, 'confirm'],
    ['an order that is paid by transfer', sampleOrder, enough, 'confirm'],
    ['approved', toCollect, enough, 'collecting'],
    ['collected', { ...toCollect, status: 'confirming' }, enough, 'confirming'],
    ['too late', { ...toCollect, status: 'expired' }, enough, 'expired'],
  ])('where the server collects: %s', (_name, order, funds, phase) => {
    expect(phaseOf({ ...asking, doing: null }, order, funds)).toBe(phase)
  })

  it('the wallet that is asked to approve is waited for, whatever is approved already', () => {
    expect(phaseOf({ ...asking, doing: 'approving' }, toCollect, enough)).toBe('approving')
    expect(phaseOf({ ...asking, doing: 'approved' }, toCollect, enough)).toBe('approved')
  })
})

describe('reducePurchase', () => {
  const play = (...events: PurchaseEvent[]) => events.reduce(reducePurchase, noPurchase)

  it('keeps the order through a rejection, and clears its note on the next try', () => {
    const rejected = play(
      { type: 'opened', planId: '6h' },
      { type: 'doing', what: 'proving' },
      { type: 'ordered', orderId: 'one' },
      { type: 'doing', what: 'paying' },
      { type: 'noted', message: 'You cancelled in your wallet. Nothing was sent.' },
    )
    expect(rejected).toMatchObject({ orderId: 'one', doing: null, withProof: true, note: { tone: 'calm' } })
    expect(reducePurchase(rejected, { type: 'doing', what: 'paying' }).note).toBeNull()
    expect(reducePurchase(rejected, { type: 'moved' })).toEqual({ ...rejected, note: null })
  })

  it('forgets the order for the next purchase', () => {
    const done = play({ type: 'taken_up', order: sampleOrder }, { type: 'failed', message: 'no' })
    expect(reducePurchase(done, { type: 'opened', planId: null })).toEqual(noPurchase)
  })
})

describe('formatIto', () => {
  it.each([
    [0n, '0'],
    [10n * ITO, '10'],
    [1234n * ITO + ITO / 2n, '1,234.5'],
    [1n, '0.000000000000000001'],
    [10n * ITO - 1n, '9.999999999999999999'],
  ])('%s base units are %s', (amount, words) => {
    expect(formatIto(amount)).toBe(words)
  })
})
