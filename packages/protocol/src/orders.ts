import { z } from 'zod'
import { address, amountWei, couponCode, hash32, isoTime, planId } from './primitives.ts'
import { accountReference, pageSize, person } from './shared-schemas.ts'
import { subscription } from './subscriptions.ts'

/**
 * An order fixes plan, price, token, chain, treasury, payer and time limit when it is created. The
 * paid amount is read only from the chain.
 */

/**
 * - `open`: awaiting payment
 * - `seen`: a transaction is known but not mined
 * - `confirming`: mined, with `confirmations` of `required` confirmations
 * - `paid`: credited, see `subscription`
 * - `underpaid`: `missingWei` is outstanding; the same wallet can pay it until `watchedUntil`
 * - `expired`, `cancelled`: should not be paid any more; a payment that arrives until
 *   `watchedUntil` is still credited
 * - `failed`: the transaction reverted and moved no tokens; the order can be paid again
 * - `reorganised`: a reorg removed the payment; the subscription is revoked until the payment is
 *   mined again
 * - `dropped`: the transaction was replaced or dropped from the mempool; the order can be paid
 *   again
 */
export const orderStatuses = [
  'open',
  'seen',
  'confirming',
  'paid',
  'underpaid',
  'expired',
  'cancelled',
  'failed',
  'reorganised',
  'dropped',
] as const
export const orderStatus = z.enum(orderStatuses)
export type OrderStatus = z.infer<typeof orderStatus>

/**
 * Irregularities of the payments: first payment below the price, overpayment, payment after the
 * time limit, several transfers. They are stored permanently.
 */
export const orderFlags = ['under', 'over', 'late', 'multiple'] as const
export const orderFlag = z.enum(orderFlags)
export type OrderFlag = z.infer<typeof orderFlag>

/**
 * `approve`: the wallet approves the exact amount for `spender`, and the server collects it with
 * transferFrom.
 */
export const paymentMethods = ['transfer', 'approve'] as const
export const orderPath = z.enum(paymentMethods)
export type OrderPath = z.infer<typeof orderPath>

export const createOrderRequest = z.strictObject({
  planType: planId,
  walletAddress: address,
  couponCode: couponCode.optional(),
})

/** The Idempotency-Key header: printable ASCII without spaces. */
export const idempotencyKey = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'Expected up to 200 printable characters')

/** The hash is only a hint. Payer, amount and time are read from the chain. */
export const orderTransactionRequest = z.strictObject({ transactionHash: hash32 })

/** `cursor` is `next` of the previous page. */
export const listOrdersQuery = z.strictObject({
  cursor: z.string().max(100).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
})

export const order = z.object({
  id: z.uuid(),
  status: orderStatus,
  flags: z.array(orderFlag),
  planType: planId,
  priceWei: amountWei,
  /** Set if a coupon reduced the price. */
  coupon: z.object({ code: z.string(), listPriceWei: amountWei }).nullable(),
  /** Sum of the confirmed transfers so far. */
  paidWei: amountWei,
  missingWei: amountWei,
  excessWei: amountWei,
  token: address,
  decimals: z.literal(18),
  chainId: z.number().int(),
  chainName: z.string(),
  treasury: address,
  payer: address,
  path: orderPath,
  /** The spender for whom the wallet approves the exact amount. Null on the path `transfer`. */
  spender: address.nullable(),
  createdAt: isoTime,
  expiresAt: isoTime,
  watchedUntil: isoTime,
  /** The newest known transaction of this order. */
  transactionHash: z.string().nullable(),
  /**
   * True if that transaction can still be mined, or mined again after a reorg. False if it has
   * failed, or if its transfer is recorded.
   */
  isPending: z.boolean(),
  /** Earlier transactions that were replaced by the newest one, in order. */
  replacedHashes: z.array(z.string()),
  blockNumber: z.number().int().nullable(),
  confirmations: z.number().int(),
  required: z.number().int(),
  /** Explanation or next step for the user, as a sentence. */
  message: z.string().nullable(),
  subscription: subscription.nullable(),
})
export type Order = z.infer<typeof order>

export const orderPage = z.object({
  items: z.array(order),
  /** Cursor of the next page. Null on the last page. */
  next: z.string().nullable(),
})

/**
 * The admin who resolved the order or payment; `name` is null if that account was deleted. Null if
 * unresolved.
 */
export const resolver = person.nullable()

/** How an admin resolved an irregular order. The server sends no transaction. */
export const orderResolutions = ['refund_noted', 'ignore'] as const

export const adminOrdersQuery = z.strictObject({
  /** Selects only orders with this flag. `over` selects overpaid orders. */
  flag: orderFlag.optional(),
  /** Selects only unresolved or only resolved orders. */
  state: z.enum(['open', 'resolved']).optional(),
  cursor: z.string().max(100).optional(),
  limit: pageSize,
})

/**
 * A transfer that belongs to an order. `counted`: credited. `unmatched`: not credited, because it
 * is a part payment or came too late. `reverted`: removed by a reorg.
 */
export const orderTransfer = z.object({
  transactionHash: z.string(),
  /** Log index within the transaction. */
  logIndex: z.number().int(),
  amountWei,
  /** Time of the block. */
  at: isoTime,
  standing: z.enum(['counted', 'unmatched', 'reverted']),
})

/**
 * An order with its owner. `owner` is null if the account was deleted. A payment that was credited
 * without an order is listed as an order too.
 */
export const adminOrder = order.extend({
  owner: accountReference.nullable(),
  /** The transfers in chain order. */
  transfers: z.array(orderTransfer),
  /**
   * Resolution of the irregularity. Null until resolved, and again after another transfer arrives.
   */
  resolvedAt: isoTime.nullable(),
  resolvedBy: resolver,
  resolution: z.enum(orderResolutions).nullable(),
  resolutionReason: z.string().nullable(),
})
export type AdminOrder = z.infer<typeof adminOrder>
export const adminOrderPage = z.object({ items: z.array(adminOrder), next: z.string().nullable() })
