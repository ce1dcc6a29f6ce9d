import { z } from 'zod'
import { signedEntry } from './log.ts'
import { amountWei, hash32, isoTime, planId } from './primitives.ts'

/**
 * A payment reported by the payer. The hash is only a hint: payer, amount and time are read from
 * the chain. userId, tokenAmount, startTime, endTime and isActive are accepted for old clients and
 * ignored.
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
  /** Amount that the treasury received, in base units. */
  tokenAmount: amountWei,
  startTime: isoTime,
  endTime: isoTime,
  /** Null for a plan that was granted without a payment. */
  transactionHash: z.string().nullable(),
  isActive: z.boolean(),
  /**
   * Time at which an admin cancelled the period. A period can be cancelled before it starts. Null
   * if it was not cancelled.
   */
  cancelledAt: isoTime.nullable(),
})
export type Subscription = z.infer<typeof subscription>

/**
 * Everything needed to verify the payment of a subscription, except nodes of the chains. Format:
 * docs/log-format.md.
 */
export const receiptFile = z.object({
  format: z.literal('tocsin-receipt'),
  version: z.literal(1),
  anchor: z.object({ chainId: z.number().int(), contract: z.string(), rpcUrl: z.string().nullable() }),
  firstSigner: z.string(),
  keys: z.array(signedEntry),
  /** The canonical bytes of the receipt as text. */
  bytes: z.string(),
  signature: z.string(),
  paymentRpcUrl: z.string().nullable(),
})
export type SubscriptionReceipt = z.infer<typeof receiptFile>

export const activeSubscriptionResponse = subscription.nullable()
