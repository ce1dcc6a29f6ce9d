import type { Plan } from '@tocsin/protocol'
import { formatMissingTokens } from './purchase.ts'

interface Buyer {
  isConnected: boolean
  hasSubscription: boolean
  /** False if the wallet is on another chain, where its balance may be unreadable. */
  isOnChain: boolean
  /** Null if the balance could not be read; it counts as 0. */
  balanceWei: bigint | null
}

/**
 * The reason why this buyer can't buy the plan now; null if they can, or if the dialog shows what
 * is missing.
 */
export function findRefusalReason(plan: Pick<Plan, 'priceWei'>, buyer: Buyer): string | null {
  if (!buyer.isConnected) return 'Wallet not connected'
  if (buyer.hasSubscription) return 'You already have an active subscription'
  if (!buyer.isOnChain || buyer.balanceWei !== null) return null
  return `${formatMissingTokens(plan.priceWei, null)}. Your balance could not be read: try again.`
}
