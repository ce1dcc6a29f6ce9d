import type { Order, PlanId } from '@tocsin/protocol'
import { decimalSign } from '../../ui/locale.ts'
import { formatAmount, formatFee } from '../../wallet/amount.ts'
import type { Funds } from '../../wallet/token-payment.ts'
import { isPayable } from './order-standing.ts'

/** What this page does itself at the moment; all else is the server's order. */
export type Doing = 'ordering' | 'proving' | 'approving' | 'approved' | 'paying' | 'reporting'

/** How the last attempt ended. A calm one is no failure: the person decided so. */
type Note = { tone: 'calm' | 'failed'; message: string; technical: string | null }

export type Purchase = {
  /** Null while one is chosen. */
  planId: PlanId | null
  /** The order that this page has made or taken up. */
  orderId: string | null
  doing: Doing | null
  /** Whether the wallet was proved as a step of this purchase. */
  withProof: boolean
  note: Note | null
}

export type PurchaseEvent =
  | { type: 'opened'; planId: PlanId | null }
  | { type: 'taken_up'; order: Order }
  | { type: 'doing'; what: Doing }
  | { type: 'ordered'; orderId: string }
  | { type: 'sent' }
  /** The order has moved on: what was said of the last attempt is past. */
  | { type: 'moved' }
  | { type: 'noted'; message: string }
  | { type: 'failed'; message: string; technical?: string }

export const noPurchase: Purchase = { planId: null, orderId: null, doing: null, withProof: false, note: null }

export function reducePurchase(purchase: Purchase, event: PurchaseEvent): Purchase {
  switch (event.type) {
    case 'opened':
      return { ...noPurchase, planId: event.planId }
    case 'taken_up':
      return { ...noPurchase, planId: event.order.planType, orderId: event.order.id }
    case 'doing':
      return { ...purchase, doing: event.what, note: null, withProof: purchase.withProof || event.what === 'proving' }
    case 'ordered':
      return { ...purchase, orderId: event.orderId }
    case 'sent':
      return { ...purchase, doing: null, note: null }
    case 'moved':
      return { ...purchase, note: null }
    case 'noted':
      return { ...purchase, doing: null, note: { tone: 'calm', message: event.message, technical: null } }
    case 'failed': {
      const { message, technical = null } = event
      return { ...purchase, doing: null, note: { tone: 'failed', message, technical } }
    }
  }
}

/** Where a purchase stands, for the eye. */
export type PurchasePhase =
  | 'choose'
  | 'confirm'
  | 'ordering'
  | 'proving'
  | 'approving'
  /** The approval is on its way to the chain, or there, and the server's turn. */
  | 'approved'
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

const phaseOfStatus: Record<Order['status'], PurchasePhase> = {
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

const phaseOfDoing: Record<Doing, PurchasePhase> = {
  ordering: 'ordering',
  proving: 'proving',
  approving: 'approving',
  approved: 'approved',
  paying: 'wallet',
  reporting: 'sent',
}

/**
 * The server's order decides; only while nothing was sent does it count what this page waits for,
 * and what the chain says that the server may collect.
 */
export function phaseOf({ planId, doing }: Purchase, order: Order | null, funds: Funds | null): PurchasePhase {
  if (order !== null && !isPayable(order)) {
    return order.status === 'open' ? 'sent' : phaseOfStatus[order.status]
  }
  if (doing !== null) return phaseOfDoing[doing]
  if (order !== null) return isCollectable(order, funds) ? 'collecting' : phaseOfStatus[order.status]
  return planId === null ? 'choose' : 'confirm'
}

/** Whether the server needs nothing more from the wallet to take what is missing. */
function isCollectable({ path, missingWei }: Order, funds: Funds | null): boolean {
  if (path !== 'approve' || funds === null) return false
  const missing = BigInt(missingWei)
  return funds.allowanceWei >= missing && (funds.balanceWei ?? 0n) >= missing
}

/**
 * What is to be paid, where and how: the order's once there is one, until then what the server says
 * that an order would say.
 */
export type Terms = {
  chainId: number
  chainName: string
  /** The chain's own coin. */
  coin: string
  token: string
  treasury: string
  spender: string | null
  path: Order['path']
  /** What is still to be sent. */
  amountWei: bigint
}

export type Standing = {
  isConnected: boolean
  /** The wallet's account, and the one that the order is to be paid from. */
  isPayer: boolean
  isOnChain: boolean
  /** Whether the server can see payments on this chain at all. */
  isReadable: boolean
  hasSubscription: boolean
  funds: Funds | null
}

export type Obstacle =
  | { kind: 'connect' | 'switch' | 'payer' | 'unreadable' | 'subscribed'; sentence: string }
  | { kind: 'token' | 'gas'; sentence: string }

/**
 * The first thing that stands against paying, with the sentence to show; null when nothing does.
 */
export function findObstacle(terms: Terms, standing: Standing): Obstacle | null {
  const { amountWei, chainName, coin } = terms
  if (!standing.isReadable) {
    const sentence = `Payments on ${chainName} can’t be seen right now, so nobody should pay. Try again later.`
    return { kind: 'unreadable', sentence }
  }
  if (!standing.isConnected) return { kind: 'connect', sentence: 'Wallet not connected' }
  if (!standing.isOnChain) return { kind: 'switch', sentence: 'Wrong Network' }
  if (standing.hasSubscription) return { kind: 'subscribed', sentence: 'You already have an active subscription' }
  if (!standing.isPayer) {
    return {
      kind: 'payer',
      sentence: 'The rest has to come from the wallet that sent the first part. Choose it in your wallet.',
    }
  }
  const { balanceWei = null, nativeWei = null, feeWei = null } = standing.funds ?? {}
  const balance = balanceWei ?? 0n
  if (balance < amountWei) {
    return { kind: 'token', sentence: insufficientTokens(amountWei, balanceWei) }
  }
  if (feeWei !== null && nativeWei !== null && nativeWei < feeWei) {
    return { kind: 'gas', sentence: needGas(feeWei, nativeWei, coin) }
  }
  return null
}

/** A balance that could not be read counts as "0.0". */
export function insufficientTokens(neededWei: bigint, balanceWei: bigint | null): string {
  const balance = balanceWei === null ? '0.0' : formatAmount(balanceWei, 2, 'down')
  return `Insufficient ITO tokens. You need ${formatIto(neededWei)} ITO but only have ${balance} ITO`
}

export function needGas(feeWei: bigint, nativeWei: bigint, coin: string): string {
  const have = nativeWei === 0n ? '0' : formatAmount(nativeWei, 6, 'down')
  return `You need about ${formatFee(feeWei)} ${coin} for the network fee; you have ${have}.`
}

/**
 * Whole ITO without decimals, all else with as many as it takes: nothing is rounded that is to be
 * paid.
 */
export function formatIto(amountWei: bigint): string {
  const [whole = '0', fraction = ''] = formatAmount(amountWei, 18).split(decimalSign)
  const exact = fraction.replace(/0+$/, '')
  return exact === '' ? whole : `${whole}${decimalSign}${exact}`
}
