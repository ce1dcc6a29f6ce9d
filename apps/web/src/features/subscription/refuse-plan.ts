import type { Plan } from '@tocsin/protocol'
import { ordersTexts } from '../../texts/orders.tsx'
import { insufficientTokens } from './purchase.ts'

const texts = ordersTexts.purchase

interface Buyer {
  isConnected: boolean
  hasSubscription: boolean
  /** Null when it could not be read, which counts as nothing here. */
  balanceWei: bigint | null
}

/** Why this plan can't be bought now, as a sentence; null when it can. */
export function refusePlan(plan: Pick<Plan, 'priceWei'>, buyer: Buyer): string | null {
  if (!buyer.isConnected) return texts.walletNotConnected
  if (buyer.hasSubscription) return texts.youAlreadyHaveAnActive
  if ((buyer.balanceWei ?? 0n) >= plan.priceWei) return null
  const sentence = `${insufficientTokens(plan.priceWei, buyer.balanceWei)}.`
  return buyer.balanceWei === null ? `${sentence} ${texts.balanceCouldNotBeRead}` : sentence
}
