import type { Address } from '@tocsin/proof'
import { type CouponQuote, getPlan, type PlanId, plans } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { COUPON_LIMIT, COUPON_NETWORK_LIMIT, createLimitSubject } from '../sessions/credential-limit.ts'
import { consumeAttempts, createNetworkLimits, type Limit, refundAttempts } from '../sessions/limits.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { isSubscribed, startGrantedPeriod } from '../subscriptions/service.ts'
import type { PaidSubscription } from '../subscriptions/store.ts'
import { computeDiscountedPrice, isUsable } from './coupon.ts'
import * as store from './store.ts'

/** The account that enters a code. Unusable codes count against the account and its network. */
export interface Redeemer {
  accountId: string
  sessionId: string
  network: string
}

/** The price of a plan with a coupon applied. */
export interface CouponPrice {
  couponId: string
  listPriceWei: bigint
  priceWei: bigint
}

/**
 * Returns the prices of the plans for which the code is valid. A code without a use left is
 * refused, because an order with the code would be refused too.
 * @throws Refusal coupon_invalid, too_many_requests
 */
export async function quoteCoupon(ctx: Context, redeemer: Redeemer, code: string): Promise<CouponQuote> {
  const coupon = await findUsableCoupon(ctx, redeemer, code, null)
  return {
    couponCode: coupon.code,
    prices: plans
      .filter(({ id }) => isUsable(coupon, id, ctx.clock.now()))
      .map(({ id, priceWei }) => ({
        planType: id,
        listPriceWei: priceWei.toString(),
        priceWei: computeDiscountedPrice(priceWei, coupon).toString(),
      })),
  }
}

/**
 * Returns the price of a plan with the code, before a use is reserved.
 * @throws Refusal coupon_invalid, coupon_pays_all, too_many_requests
 */
export async function findCouponPrice(
  ctx: Context,
  redeemer: Redeemer,
  { code, planId }: { code: string; planId: PlanId },
): Promise<CouponPrice> {
  const coupon = await findUsableCoupon(ctx, redeemer, code, planId)
  const listPriceWei = getPlan(planId).priceWei
  const priceWei = computeDiscountedPrice(listPriceWei, coupon)
  if (priceWei === 0n) {
    throw new Refusal('coupon_pays_all', 'This code pays the whole plan. Redeem it without a payment.')
  }
  return { couponId: coupon.id, listPriceWei, priceWei }
}

/**
 * Returns the price of a plan with the code, even if the coupon has ended. It serves to find an
 * order that was created with the code, so the attempt is not counted. For an unknown code, the
 * coupon id is empty, so that no order matches.
 */
export async function findFormerPrice(
  ctx: Context,
  { code, planId }: { code: string; planId: PlanId },
): Promise<CouponPrice> {
  const coupon = await store.findCouponByCode(ctx.db, code)
  const listPriceWei = getPlan(planId).priceWei
  if (!coupon) return { couponId: '', listPriceWei, priceWei: listPriceWei }
  return { couponId: coupon.id, listPriceWei, priceWei: computeDiscountedPrice(listPriceWei, coupon) }
}

/**
 * Reserves a use for an order, in the transaction that stores the order. If no use is left, cancels
 * the account's unpaid orders with the coupon to free their uses, because the new purchase replaces
 * them. Callers must hold the locks of the account and of the paying wallet.
 * @throws Refusal coupon_invalid
 */
export async function reserveUse(
  ctx: Context,
  tx: Tx,
  { couponId, planId, ...user }: { couponId: string; planId: PlanId; accountId: string; payer: Address | null },
): Promise<void> {
  const now = ctx.clock.now()
  const coupon = await store.lockCoupon(tx, couponId)
  if (!coupon || !isUsable(coupon, planId, now)) throw createInvalidRefusal()
  await store.releaseUses(tx, couponId, now)
  if (hasUnusedUse(coupon, await store.countUses(tx, couponId, user))) return
  await store.cancelUnpaidOrders(tx, couponId, user.accountId, now)
  await store.releaseUses(tx, couponId, now)
  if (!hasUnusedUse(coupon, await store.countUses(tx, couponId, user))) throw createInvalidRefusal()
}

function hasUnusedUse({ maxUses, maxUsesPerAccount }: store.CouponRow, { total, own }: store.UseCounts): boolean {
  return total < maxUses && own < maxUsesPerAccount
}

/**
 * Starts a plan with a coupon that pays its whole price.
 * @throws Refusal coupon_invalid, subscription_active, too_many_requests
 */
export async function redeemCoupon(
  ctx: Context,
  redeemer: Redeemer,
  { code, planId }: { code: string; planId: PlanId },
): Promise<PaidSubscription> {
  const { accountId } = redeemer
  const coupon = await findUsableCoupon(ctx, redeemer, code, planId)
  const listPriceWei = getPlan(planId).priceWei
  if (computeDiscountedPrice(listPriceWei, coupon) > 0n) throw createInvalidRefusal()
  const createdAt = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, redeemer)
    if (await isSubscribed(tx, accountId, createdAt)) {
      throw new Refusal('subscription_active', 'You already have an active subscription')
    }
    await reserveUse(ctx, tx, { couponId: coupon.id, planId, accountId, payer: null })
    const grant = { accountId, planId, listPriceWei, couponId: coupon.id, createdAt }
    return startGrantedPeriod(ctx, tx, { accountId, planId, grantId: await store.insertGrant(tx, grant) })
  })
}

/**
 * Finds a coupon that can be used for the plan, or for any plan. The attempt is counted first, so
 * that guesses are limited. All refusals are the same, so that they reveal nothing about a code.
 * @param planId null for a quote of all plans, which also requires that the coupon has a use left
 */
async function findUsableCoupon(
  ctx: Context,
  { accountId, network }: Redeemer,
  code: string,
  planId: PlanId | null,
): Promise<store.CouponRow> {
  const limits: Limit[] = [
    { subject: createLimitSubject('coupon', accountId), rule: COUPON_LIMIT },
    ...createNetworkLimits('coupon-network', network, COUPON_NETWORK_LIMIT),
  ]
  await consumeAttempts(ctx, limits)
  const coupon = await store.findCouponByCode(ctx.db, code)
  const now = ctx.clock.now()
  if (!coupon?.planIds.some((id) => isUsable(coupon, planId ?? id, now))) throw createInvalidRefusal()
  if (planId === null) {
    const uses = await store.countLastingUses(ctx.db, coupon.id, accountId, now)
    if (!hasUnusedUse(coupon, uses)) throw createInvalidRefusal()
  }
  await refundAttempts(ctx, limits)
  return coupon
}

const createInvalidRefusal = () =>
  new Refusal(
    'coupon_invalid',
    'This code can’t be used for this purchase. It may be mistyped, used up, expired, or for another plan.',
  )
