import type { CouponQuote, Order, PlanId } from '@tocsin/protocol'
import { decimalSeparator } from '../../ui/locale.ts'
import { formatAmount, formatFee } from '../../wallet/amount.ts'
import type { Funds } from '../../wallet/token-payment.ts'
import { isPayable } from './order-state.ts'

/** The step that this page is executing. All other progress comes from the server's order. */
export type ActiveStep = 'ordering' | 'proving' | 'approving' | 'approved' | 'paying' | 'reporting'

/** How the last attempt ended. The tone is info if the user ended it, for example by rejecting. */
type Note = { tone: 'info' | 'failed'; message: string; technical: string | null }

export type Purchase = {
  /** Null while the user chooses a plan. */
  planId: PlanId | null
  /** The order that this page created or resumed. */
  orderId: string | null
  activeStep: ActiveStep | null
  /** True if this purchase has started the step that proves the wallet. */
  withProof: boolean
  note: Note | null
  /** The coupon that the user has entered, with its prices. Kept if the user changes the plan. */
  coupon: CouponQuote | null
}

export type PurchaseEvent =
  | { type: 'opened'; planId: PlanId | null }
  | { type: 'resumed'; order: Order }
  | { type: 'coupon_changed'; coupon: CouponQuote | null }
  | { type: 'step_started'; step: ActiveStep }
  | { type: 'ordered'; orderId: string }
  | { type: 'sent' }
  /** The order's status changed, so the note about the last attempt is outdated. */
  | { type: 'order_changed' }
  | { type: 'notice'; message: string }
  | { type: 'failed'; message: string; technical?: string }

export const initialPurchase: Purchase = {
  planId: null,
  orderId: null,
  activeStep: null,
  withProof: false,
  note: null,
  coupon: null,
}

export function reducePurchase(purchase: Purchase, event: PurchaseEvent): Purchase {
  switch (event.type) {
    case 'opened':
      return { ...initialPurchase, planId: event.planId, coupon: purchase.coupon }
    case 'resumed':
      return { ...initialPurchase, planId: event.order.planType, orderId: event.order.id }
    case 'coupon_changed':
      return { ...purchase, coupon: event.coupon, note: null }
    case 'step_started':
      return {
        ...purchase,
        activeStep: event.step,
        note: null,
        withProof: purchase.withProof || event.step === 'proving',
      }
    case 'ordered':
      return { ...purchase, orderId: event.orderId }
    case 'sent':
      return { ...purchase, activeStep: null, note: null }
    case 'order_changed':
      return { ...purchase, note: null }
    case 'notice':
      return { ...purchase, activeStep: null, note: { tone: 'info', message: event.message, technical: null } }
    case 'failed': {
      const { message, technical = null } = event
      return { ...purchase, activeStep: null, note: { tone: 'failed', message, technical } }
    }
  }
}

/** The price of the plan with the entered coupon; null if the coupon is not valid for the plan. */
export function getCouponPrice({ coupon }: Pick<Purchase, 'coupon'>, planId: PlanId | null): bigint | null {
  const price = coupon?.prices.find(({ planType }) => planType === planId)
  return price ? BigInt(price.priceWei) : null
}

/** The state of a purchase as the dialog shows it. */
export type PurchasePhase =
  | 'choose'
  | 'confirm'
  | 'ordering'
  | 'proving'
  | 'approving'
  /** The approval transaction was sent and is not confirmed. */
  | 'approved'
  /** The allowance is on the chain; the server collects the payment. */
  | 'collecting'
  | 'wallet'
  | 'sent'
  | 'confirming'
  | 'active'
  | 'underpaid'
  | 'reorganised'
  | 'reverted'
  | 'dropped'
  | 'expired'
  | 'cancelled'

const phasesByStatus: Record<Order['status'], PurchasePhase> = {
  open: 'confirm',
  seen: 'sent',
  confirming: 'confirming',
  paid: 'active',
  underpaid: 'underpaid',
  expired: 'expired',
  cancelled: 'cancelled',
  failed: 'reverted',
  reorganised: 'reorganised',
  dropped: 'dropped',
}

const phasesByStep: Record<ActiveStep, PurchasePhase> = {
  ordering: 'ordering',
  proving: 'proving',
  approving: 'approving',
  approved: 'approved',
  paying: 'wallet',
  reporting: 'sent',
}

/**
 * Returns the phase that the dialog shows. If the order needs no payment, the phase depends only on
 * its status. Otherwise it also depends on the active step of this page and on the allowance on the
 * chain (`funds`).
 */
export function getPhase({ planId, activeStep }: Purchase, order: Order | null, funds: Funds | null): PurchasePhase {
  if (order !== null && !isPayable(order)) {
    return order.status === 'open' ? 'sent' : phasesByStatus[order.status]
  }
  if (activeStep !== null) return phasesByStep[activeStep]
  if (order !== null) return isCollectable(order, funds) ? 'collecting' : phasesByStatus[order.status]
  return planId === null ? 'choose' : 'confirm'
}

/** True if allowance and balance suffice for the server to collect the missing amount. */
function isCollectable({ path, missingWei }: Order, funds: Funds | null): boolean {
  if (path !== 'approve' || funds === null) return false
  const neededWei = BigInt(missingWei)
  return funds.allowanceWei >= neededWei && (funds.balanceWei ?? 0n) >= neededWei
}

/**
 * The payment terms of an order. Before the order exists, the terms expected from the server's
 * configuration.
 */
export type PurchaseTerms = {
  chainId: number
  chainName: string
  /** Symbol of the chain's native coin. */
  coin: string
  token: string
  treasury: string
  spender: string | null
  path: Order['path']
  /**
   * The amount to pay: the missing amount if the order can be paid, otherwise the price. 0 if a
   * coupon covers the whole price.
   */
  amountWei: bigint
}

export type PaymentContext = {
  isConnected: boolean
  /** Whether the wallet's account is the one that must pay the order. */
  isPayer: boolean
  isOnChain: boolean
  /** Whether the server can read this chain. If not, it would not see a payment. */
  isReadable: boolean
  hasSubscription: boolean
  funds: Funds | null
}

export interface PaymentBlocker {
  kind: 'connect' | 'switch' | 'payer' | 'unreadable' | 'subscribed' | 'token' | 'gas'
  message: string
}

/** The first reason why the user can't pay, with the message to show. Null if the user can pay. */
export function findPaymentBlocker(terms: PurchaseTerms, context: PaymentContext): PaymentBlocker | null {
  const { amountWei, chainName, coin } = terms
  const subscriptionBlocker: PaymentBlocker | null = context.hasSubscription
    ? { kind: 'subscribed', message: 'You already have an active subscription' }
    : null
  // A coupon pays the whole price, so the wallet does not matter.
  if (amountWei === 0n) return subscriptionBlocker
  if (!context.isReadable) {
    const message = `Payments on ${chainName} can’t be verified right now. Do not pay yet; try again later.`
    return { kind: 'unreadable', message }
  }
  if (!context.isConnected) return { kind: 'connect', message: 'Wallet not connected' }
  if (!context.isOnChain) return { kind: 'switch', message: 'Wrong Network' }
  if (subscriptionBlocker !== null) return subscriptionBlocker
  if (!context.isPayer) {
    return {
      kind: 'payer',
      message: 'The rest has to come from the account that sent the first part. Choose this account in your wallet.',
    }
  }
  const { balanceWei = null, nativeWei = null, feeWei = null } = context.funds ?? {}
  const knownBalanceWei = balanceWei ?? 0n
  if (knownBalanceWei < amountWei) {
    return { kind: 'token', message: formatMissingTokens(amountWei, balanceWei) }
  }
  if (feeWei !== null && nativeWei !== null && nativeWei < feeWei) {
    return { kind: 'gas', message: formatMissingGas(feeWei, nativeWei, coin) }
  }
  return null
}

/** @param balanceWei null if the balance could not be read; it is shown as "0.0" */
export function formatMissingTokens(neededWei: bigint, balanceWei: bigint | null): string {
  const balanceText = balanceWei === null ? '0.0' : formatAmount(balanceWei, 2, 'down')
  return `Insufficient ITO tokens. You need ${formatIto(neededWei)} ITO but only have ${balanceText} ITO`
}

export function formatMissingGas(feeWei: bigint, nativeWei: bigint, coin: string): string {
  const heldAmount = nativeWei === 0n ? '0' : formatAmount(nativeWei, 6, 'down')
  return `You need about ${formatFee(feeWei)} ${coin} for the network fee; you have ${heldAmount}.`
}

/** Formats an amount exactly, without trailing zeros: a price is never rounded. */
export function formatIto(amountWei: bigint): string {
  const [whole = '0', fraction = ''] = formatAmount(amountWei, 18).split(decimalSeparator)
  const exactFraction = fraction.replace(/0+$/, '')
  return exactFraction === '' ? whole : `${whole}${decimalSeparator}${exactFraction}`
}
