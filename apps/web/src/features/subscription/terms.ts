import { getChain, getPlan, type Order, type PlanId, type PublicConfig } from '@tocsin/protocol'
import { isPayable } from './order-state.ts'
import type { PurchaseTerms } from './purchase.ts'

/** The terms of an existing order. */
export function createTerms(order: Order): PurchaseTerms {
  const { chainId, chainName, token, treasury, spender, path } = order
  const amountWei = BigInt(isPayable(order) ? order.missingWei : order.priceWei)
  return { chainId, chainName, token, treasury, spender, path, amountWei, coin: getCoin(chainId) }
}

type PaymentConfig = Pick<PublicConfig, 'chain' | 'token' | 'treasury' | 'paymentPath' | 'plans'>

/**
 * The terms of an order that would be created now, according to the server's configuration.
 * @param couponPriceWei the price that a coupon gives, if one is used
 */
export function createExpectedTerms(
  config: PaymentConfig,
  planId: PlanId,
  couponPriceWei: bigint | null = null,
): PurchaseTerms {
  const { chain, token, treasury, paymentPath, plans } = config
  const priceWei = plans.find(({ id }) => id === planId)?.priceWei ?? getPlan(planId).priceWei.toString()
  return {
    chainId: chain.id,
    chainName: chain.name,
    coin: getCoin(chain.id),
    token: token.address,
    treasury,
    spender: paymentPath === 'approve' ? treasury : null,
    path: paymentPath,
    amountWei: couponPriceWei ?? BigInt(priceWei),
  }
}

/**
 * Whether the order has the terms that were shown before it was created. If not, the user must
 * review them before paying.
 */
export function isSameTerms(shownTerms: PurchaseTerms, orderedTerms: PurchaseTerms): boolean {
  return (
    shownTerms.chainId === orderedTerms.chainId &&
    shownTerms.amountWei === orderedTerms.amountWei &&
    shownTerms.path === orderedTerms.path &&
    shownTerms.token.toLowerCase() === orderedTerms.token.toLowerCase() &&
    shownTerms.treasury.toLowerCase() === orderedTerms.treasury.toLowerCase() &&
    shownTerms.spender?.toLowerCase() === orderedTerms.spender?.toLowerCase()
  )
}

function getCoin(chainId: number): string {
  return getChain(chainId).nativeCurrency.symbol
}
