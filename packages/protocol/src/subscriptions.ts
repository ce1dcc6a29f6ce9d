import { z } from 'zod'
import { amountWei, hash32, isoTime, planId } from './primitives.ts'

/**
 * A purchase reported by its buyer. The hash is a hint: who paid, what and when is read from the chain. The client's userId,
 * tokenAmount, startTime, endTime and isActive are accepted and ignored.
 */
export const subscribeRequest = z.strictObject({
  planType: planId,
  transactionHash: hash32,
  userId: z.unknown().optional(),
  tokenAmount: z.unknown().optional(),
  startTime: z.unknown().optional(),
  endTime: z.unknown().optional(),
  isActive: z.unknown().optional(),
})

export const subscription = z.object({
  id: z.uuid(),
  userId: z.uuid(),
  planType: planId,
  /** What the treasury received, in base units. */
  tokenAmount: amountWei,
  startTime: isoTime,
  endTime: isoTime,
  transactionHash: z.string(),
  isActive: z.boolean(),
})
export type Subscription = z.infer<typeof subscription>

export const activeSubscriptionResponse = subscription.nullable()
