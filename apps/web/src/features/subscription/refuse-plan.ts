import type { Plan } from '@tocsin/protocol'
import { insufficientTokens } from './purchase.ts'

interface Buyer {
  isConnected: boolean
  hasSubscription: boolean
  /** Null when it could not be read, which counts as nothing here. */
  balanceWei: bigint | null
}

/** Why this plan can't be bought now, as a sentence; null when it can. */
export function refusePlan(plan: Pick<Plan, 'priceWei'>, buyer: Buyer): string | null {
  if (!buyer.isConnected) return 'Wallet not connected'
  if (buyer.hasSubscription) return 'You already have an active subscription'
  if ((buyer.balanceWei ?? 0n) >= plan.priceWei) return null
  const sentence = `${insufficientTokens(plan.priceWei, buyer.balanceWei)}.`
  return buyer.balanceWei === null ? `${sentence} Your balance could not be read: try again.` : sentence
}
