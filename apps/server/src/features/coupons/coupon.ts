import { randomInt } from 'node:crypto'
import type { AdminCoupon, PlanId } from '@tocsin/protocol'

/** A discount by percentage or amount. Exactly one of the two is set. */
export interface Discount {
  /** From 1 to 100. */
  percent: number | null
  amountWei: bigint | null
}

/**
 * Returns the price after the discount, in wei. It is never negative and never above the list
 * price.
 * @throws RangeError if the discount is not a positive amount or a percentage of 1 to 100
 */
export function computeDiscountedPrice(listPriceWei: bigint, { percent, amountWei }: Discount): bigint {
  if ((percent === null) === (amountWei === null)) throw new RangeError('A discount is a percentage or an amount')
  if (percent !== null && !(Number.isInteger(percent) && percent >= 1 && percent <= 100)) {
    throw new RangeError('A percentage is from 1 to 100')
  }
  if (amountWei !== null && amountWei <= 0n) throw new RangeError('An amount is positive')
  const discountWei = amountWei ?? (listPriceWei * BigInt(percent ?? 0)) / 100n
  return discountWei >= listPriceWei ? 0n : listPriceWei - discountWei
}

interface Validity {
  planIds: readonly PlanId[]
  expiresAt: Date
  endedAt: Date | null
}

export function isUsable({ planIds, expiresAt, endedAt }: Validity, planId: PlanId, now: Date): boolean {
  return planIds.includes(planId) && endedAt === null && now < expiresAt
}

export function getCouponState(
  { expiresAt, endedAt, maxUses }: Pick<Validity, 'expiresAt' | 'endedAt'> & { maxUses: number },
  used: number,
  now: Date,
): AdminCoupon['state'] {
  if (endedAt !== null) return 'ended'
  if (now >= expiresAt) return 'expired'
  return used >= maxUses ? 'used_up' : 'active'
}

/** Letters and digits of codes, without characters that look alike. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'

/** Creates a code of 12 random characters, which are 59 bits. */
export function createRandomCode(): string {
  const characters = Array.from({ length: 12 }, () => ALPHABET[randomInt(ALPHABET.length)])
  return [0, 4, 8].map((at) => characters.slice(at, at + 4).join('')).join('-')
}
