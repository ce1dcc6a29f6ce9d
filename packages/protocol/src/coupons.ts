import { z } from 'zod'
import { planIds } from './names.ts'
import { amountWei, couponCode, isoTime, planId, realTime } from './primitives.ts'
import { createPageSchema, createVisibleTextSchema, pageSize } from './shared-schemas.ts'
import { subscription } from './subscriptions.ts'

/**
 * A coupon reduces the price of an order by a percentage or by an amount of ITO. A coupon that
 * covers the whole price grants the plan without a transfer.
 */

export const quoteCouponRequest = z.strictObject({ couponCode })
/** The current prices with the coupon. Plans to which the coupon does not apply are left out. */
export const couponQuote = z.object({
  couponCode: z.string(),
  prices: z.array(z.object({ planType: planId, listPriceWei: amountWei, priceWei: amountWei })),
})
export type CouponQuote = z.infer<typeof couponQuote>

export const redeemCouponRequest = z.strictObject({ couponCode, planType: planId })
export const redeemCouponResponse = subscription

const visibleText200 = createVisibleTextSchema(200)
const maxUseCount = z.number().int().min(1).max(1_000_000)

export const createCouponRequest = z
  .strictObject({
    /** Code of the coupon. The server generates a random code if it is absent. */
    code: couponCode.optional(),
    /** Exactly one of `percent` and `amountWei` must be set. */
    percent: z.number().int().min(1).max(100).optional(),
    amountWei: amountWei.refine((wei) => wei !== '0' && wei.length <= 27, 'Expected 1 wei to 10⁹ ITO').optional(),
    /** The plans to which the coupon applies. */
    planTypes: z.array(planId).min(1).max(planIds.length),
    maxUses: maxUseCount,
    maxUsesPerAccount: maxUseCount,
    expiresAt: realTime,
    /** A note that only staff can see. */
    note: visibleText200,
  })
  .refine(({ percent, amountWei: wei }) => (percent === undefined) !== (wei === undefined), {
    message: 'Set either a percentage or an amount, not both',
    path: ['percent'],
  })

export const couponStates = ['active', 'used_up', 'expired', 'ended'] as const

export const adminCoupon = z.object({
  id: z.uuid(),
  code: z.string(),
  state: z.enum(couponStates),
  percent: z.number().int().nullable(),
  amountWei: amountWei.nullable(),
  planTypes: z.array(planId),
  maxUses: z.number().int(),
  maxUsesPerAccount: z.number().int(),
  /** Number of paid orders and of plans granted without a payment. */
  used: z.number().int(),
  /** Number of orders that wait for their payment. */
  reserved: z.number().int(),
  /** Total discount (list price minus price) of the paid orders and granted plans. */
  discountWei: amountWei,
  note: z.string(),
  createdAt: isoTime,
  /** Null if the account was deleted. */
  createdBy: z.string().nullable(),
  expiresAt: isoTime,
  endedAt: isoTime.nullable(),
})
export type AdminCoupon = z.infer<typeof adminCoupon>

export const listCouponsQuery = z.strictObject({
  cursor: z.uuid().optional(),
  limit: pageSize,
})
export const couponPage = createPageSchema(adminCoupon)

/** A plan that an admin grants without a payment. `reason` is stored in the audit log. */
export const grantPlanRequest = z.strictObject({ planType: planId, reason: visibleText200 })
