import { type PlanId, planIds, type Subscription } from '@tocsin/protocol'
import { z } from 'zod'
import { formatAmount } from '../../wallet/amount.ts'

/** Where a purchase stands. From 'sent' on the money is on its way: the claim goes on by itself, also after a reload. */
export type PurchasePhase =
  | 'choose'
  | 'confirm'
  | 'proving'
  | 'wallet'
  | 'sent'
  | 'confirming'
  | 'active'
  | 'rejected'
  | 'failed'

export type Purchase = {
  phase: PurchasePhase
  planId: PlanId
  /** Whether the wallet was proved as a step of this purchase. */
  withProof: boolean
  hash: string | null
  /** The server's count while it waits for blocks. */
  progress: { confirmations: number; required: number } | null
  /** The sentence to show when it was rejected or failed, and the wallet's own words. */
  message: string | null
  technical: string | null
  subscription: Subscription | null
}

export type PurchaseEvent =
  | { type: 'chosen'; planId: PlanId }
  | { type: 'reset' }
  | { type: 'proving' }
  | { type: 'asked' }
  | { type: 'sent'; hash: string }
  | { type: 'confirming'; confirmations: number; required: number }
  | { type: 'started'; subscription: Subscription }
  | { type: 'rejected'; message: string }
  | { type: 'failed'; message: string; technical?: string }

export const noPurchase: Purchase = {
  phase: 'choose',
  planId: '24h',
  withProof: false,
  hash: null,
  progress: null,
  message: null,
  technical: null,
  subscription: null,
}

export function reducePurchase(purchase: Purchase, event: PurchaseEvent): Purchase {
  const cleared = { ...purchase, message: null, technical: null }
  switch (event.type) {
    case 'reset':
      return { ...noPurchase, planId: purchase.planId }
    case 'chosen':
      return { ...noPurchase, phase: 'confirm', planId: event.planId }
    case 'proving':
      return { ...cleared, phase: 'proving', withProof: true }
    case 'asked':
      return { ...cleared, phase: 'wallet' }
    case 'sent':
      return { ...cleared, phase: 'sent', hash: event.hash, progress: null }
    case 'confirming': {
      const { confirmations, required } = event
      // A transaction that is known but in no block yet is only sent.
      const phase = confirmations > 0 ? 'confirming' : 'sent'
      return { ...cleared, phase, progress: { confirmations, required } }
    }
    case 'started':
      return { ...cleared, phase: 'active', subscription: event.subscription }
    case 'rejected':
      return { ...cleared, phase: 'rejected', message: event.message }
    case 'failed':
      return { ...cleared, phase: 'failed', message: event.message, technical: event.technical ?? null }
  }
}

export function isUnderWay({ phase }: Purchase): boolean {
  return phase === 'proving' || phase === 'wallet' || phase === 'sent' || phase === 'confirming'
}

export type Standing = {
  isConnected: boolean
  isCorrectNetwork: boolean
  balanceWei: bigint | null
  priceWei: bigint
  hasSubscription: boolean
}

/** The first thing that stands against a purchase, as the sentence to show; null when nothing does. */
export function findObstacle(standing: Standing): string | null {
  const { isConnected, isCorrectNetwork, priceWei, hasSubscription } = standing
  const balanceWei = standing.balanceWei ?? 0n
  if (!isConnected) return 'Wallet not connected'
  if (!isCorrectNetwork) return 'Wrong Network'
  if (balanceWei < priceWei) {
    const need = formatAmount(priceWei, 0)
    return `Insufficient ITO tokens. You need ${need} ITO but only have ${formatAmount(balanceWei, 2, 'down')} ITO`
  }
  return hasSubscription ? 'You already have an active subscription' : null
}

const pendingPayment = z.object({ hash: z.string(), planId: z.enum(planIds), walletAddress: z.string() })
/** A payment that was sent and not yet turned into a subscription. */
export type PendingPayment = z.infer<typeof pendingPayment>

/** A stored payment; null for anything else. */
export function parsePending(text: string | null): PendingPayment | null {
  if (text === null) return null
  try {
    return pendingPayment.parse(JSON.parse(text))
  } catch {
    return null
  }
}

const keyOf = (userId: string) => `pendingPayment:${userId}`

export function readPending(userId: string): PendingPayment | null {
  return parsePending(localStorage.getItem(keyOf(userId)))
}

export function writePending(userId: string, payment: PendingPayment): void {
  localStorage.setItem(keyOf(userId), JSON.stringify(payment))
}

export function forgetPending(userId: string): void {
  localStorage.removeItem(keyOf(userId))
}
