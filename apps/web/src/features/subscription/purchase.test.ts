import type { Order } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { sampleOrder } from '../../../test/support/sample-order.ts'
import type { Funds } from '../../wallet/token-payment.ts'
import {
  findPaymentBlocker,
  formatIto,
  getPhase,
  initialPurchase,
  type PaymentContext,
  type Purchase,
  type PurchaseEvent,
  type PurchaseTerms,
  reducePurchase,
} from './purchase.ts'

const ITO = 10n ** 18n
const terms: PurchaseTerms = {
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
const ready: PaymentContext = {
  isConnected: true,
  isPayer: true,
  isOnChain: true,
  isReadable: true,
  hasSubscription: false,
  funds: rich,
}

describe('findPaymentBlocker', () => {
  it.each<[Partial<PaymentContext>, string, string]>([
    [
      { isReadable: false, isConnected: false },
      'unreadable',
      'Payments on Local Chain can’t be verified right now. Do not pay yet; try again later.',
    ],
    [{ isConnected: false, isOnChain: false, funds: null, hasSubscription: true }, 'connect', 'Wallet not connected'],
    [{ isOnChain: false, funds: null, hasSubscription: true }, 'switch', 'Wrong Network'],
    [{ hasSubscription: true, funds: null }, 'subscribed', 'You already have an active subscription'],
    [
      { isPayer: false, funds: null },
      'payer',
      'The rest has to come from the account that sent the first part. Choose this account in your wallet.',
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
  ])('case %#: with %s, the first obstacle is %s', (change, kind, message) => {
    expect(findPaymentBlocker(terms, { ...ready, ...change })).toEqual({ kind, message })
  })

  it('requires no wallet, but rejects an active subscription, when a coupon pays the whole price', () => {
    const free = { ...terms, amountWei: 0n }
    const noWallet = { ...ready, isConnected: false, isOnChain: false, isReadable: false, funds: null }
    expect(findPaymentBlocker(free, noWallet)).toBeNull()
    expect(findPaymentBlocker(free, { ...noWallet, hasSubscription: true })?.kind).toBe('subscribed')
  })

  it.each<[Partial<PaymentContext>]>([
    [{}],
    [{ funds: { ...rich, balanceWei: 75n * ITO, nativeWei: rich.feeWei } }],
    [{ funds: { ...rich, feeWei: null, nativeWei: null } }],
  ])('case %#: returns null when the user can pay', (change) => {
    expect(findPaymentBlocker(terms, { ...ready, ...change })).toBeNull()
  })
})

describe('getPhase', () => {
  const paying: Purchase = { ...initialPurchase, planId: '6h', orderId: sampleOrder.id, activeStep: 'paying' }
  const hash = `0x${'ab'.repeat(32)}`

  it.each<[string, Purchase, Order | null, string]>([
    ['no plan is chosen', initialPurchase, null, 'choose'],
    ['a plan is chosen', { ...initialPurchase, planId: '6h' }, null, 'confirm'],
    ['a wallet request is open', paying, sampleOrder, 'wallet'],
    ['the hash is reported', { ...paying, activeStep: 'reporting' }, sampleOrder, 'sent'],
    ['the order is open and no wallet request is open', { ...paying, activeStep: null }, sampleOrder, 'confirm'],
    // A payment in progress takes precedence over an unanswered wallet request.
    [
      'the chain does not know the transaction yet',
      paying,
      { ...sampleOrder, transactionHash: hash, isPending: true },
      'sent',
    ],
    [
      'the transaction was recorded and refunded',
      { ...paying, activeStep: null },
      { ...sampleOrder, transactionHash: hash },
      'confirm',
    ],
    ['the payment is credited and the wallet has not responded', paying, { ...sampleOrder, status: 'paid' }, 'active'],
    ['the payment is in a block', paying, { ...sampleOrder, status: 'confirming' }, 'confirming'],
    ['the user tops up an underpaid order', paying, { ...sampleOrder, status: 'underpaid' }, 'wallet'],
    ['the order is underpaid', { ...paying, activeStep: null }, { ...sampleOrder, status: 'underpaid' }, 'underpaid'],
    [
      'the payment is rolled back',
      { ...paying, activeStep: null },
      { ...sampleOrder, status: 'reorganised' },
      'reorganised',
    ],
    [
      'the transaction is reverted',
      { ...paying, activeStep: null },
      { ...sampleOrder, status: 'failed', transactionHash: hash },
      'reverted',
    ],
    [
      'the user pays again after a reverted transaction',
      paying,
      { ...sampleOrder, status: 'failed', transactionHash: hash },
      'wallet',
    ],
  ])('returns the expected phase for order and active step when %s', (_name, purchase, order, phase) => {
    expect(getPhase(purchase, order, rich)).toBe(phase)
  })

  const toCollect: Order = { ...sampleOrder, path: 'approve', spender: sampleOrder.treasury }
  const enough = { ...rich, balanceWei: 10n * ITO, allowanceWei: 10n * ITO }
  it.each<[string, Order, Funds | null, string]>([
    ['the allowance is one base unit too low', toCollect, { ...enough, allowanceWei: 10n * ITO - 1n }, 'confirm'],
    ['the balance is one base unit too low', toCollect, { ...enough, balanceWei: 10n * ITO - 1n }, 'confirm'],
    ['the balance is unknown', toCollect, { ...enough, balanceWei: null }, 'confirm'],
    ['the allowance is unknown', toCollect, null, 'confirm'],
    ['the order is paid by transfer', sampleOrder, enough, 'confirm'],
    ['allowance and balance suffice', toCollect, enough, 'collecting'],
    ['the payment is collected', { ...toCollect, status: 'confirming' }, enough, 'confirming'],
    ['the order has expired', { ...toCollect, status: 'expired' }, enough, 'expired'],
  ])('returns the expected phase for order, allowance and balance when %s', (_name, order, funds, phase) => {
    expect(getPhase({ ...paying, activeStep: null }, order, funds)).toBe(phase)
  })

  it('returns the active approval step even when the allowance already suffices', () => {
    expect(getPhase({ ...paying, activeStep: 'approving' }, toCollect, enough)).toBe('approving')
    expect(getPhase({ ...paying, activeStep: 'approved' }, toCollect, enough)).toBe('approved')
  })
})

describe('reducePurchase', () => {
  const reduceAll = (...events: PurchaseEvent[]) => events.reduce(reducePurchase, initialPurchase)

  it('keeps the order after a rejection and clears the note on the next attempt', () => {
    const rejected = reduceAll(
      { type: 'opened', planId: '6h' },
      { type: 'step_started', step: 'proving' },
      { type: 'ordered', orderId: 'one' },
      { type: 'step_started', step: 'paying' },
      { type: 'notice', message: 'You cancelled in your wallet. Nothing was sent.' },
    )
    expect(rejected).toMatchObject({ orderId: 'one', activeStep: null, withProof: true, note: { tone: 'info' } })
    expect(reducePurchase(rejected, { type: 'step_started', step: 'paying' }).note).toBeNull()
    expect(reducePurchase(rejected, { type: 'order_changed' })).toEqual({ ...rejected, note: null })
  })

  it('clears the order when the next purchase opens', () => {
    const done = reduceAll({ type: 'resumed', order: sampleOrder }, { type: 'failed', message: 'no' })
    expect(reducePurchase(done, { type: 'opened', planId: null })).toEqual(initialPurchase)
  })
})

describe('formatIto', () => {
  it.each([
    [0n, '0'],
    [10n * ITO, '10'],
    [1234n * ITO + ITO / 2n, '1,234.5'],
    [1n, '0.000000000000000001'],
    [10n * ITO - 1n, '9.999999999999999999'],
  ])('formats %s base units as %s', (amount, text) => {
    expect(formatIto(amount)).toBe(text)
  })
})
