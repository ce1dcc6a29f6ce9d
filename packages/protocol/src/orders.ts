import { z } from 'zod'
import { address, amountWei, hash32, isoTime, planId } from './primitives.ts'
import { subscription } from './subscriptions.ts'

/**
 * A purchase before it is paid: plan, price, token, chain, treasury, payer and time limit as they were when it was made. What is paid is read from the
 * chain alone.
 */

/**
 * - `open`: waits for its payment
 * - `seen`: a transaction is known and in no block yet
 * - `confirming`: in a block, `confirmations` of `required`
 * - `paid`: granted, see `subscription`
 * - `underpaid`: `missingWei` is still to come, from the same wallet; it can be topped up until `watchedUntil`
 * - `expired`, `cancelled`: not to be paid any more; a payment that lands anyway until `watchedUntil` is honoured
 * - `failed`: the transaction failed on the chain and moved nothing; the order may be paid again
 * - `reorganised`: the payment has left the chain and is waited for; a period that it gave is taken away until then
 * - `dropped`: the transaction was overtaken by another one or forgotten by the nodes; the order may be paid again
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

/** What was unusual about its payments, kept for ever: less than the price at first, more than it, after the time limit, several transfers. */
export const orderFlags = ['under', 'over', 'late', 'multiple'] as const
export const orderFlag = z.enum(orderFlags)
export type OrderFlag = z.infer<typeof orderFlag>

/** `approve`: the wallet approves the exact amount for `spender`, and the server collects it. */
export const orderPaths = ['transfer', 'approve'] as const
export const orderPath = z.enum(orderPaths)
export type OrderPath = z.infer<typeof orderPath>

export const createOrderRequest = z.strictObject({ planType: planId, walletAddress: address })

/** Printable ASCII without spaces: what a client sends as the header Idempotency-Key. */
export const idempotencyKey = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'Expected up to 200 printable characters')

/** A hint: who paid, what and when is read from the chain. */
export const orderTransactionRequest = z.strictObject({ transactionHash: hash32 })

/** `cursor` is the `next` of the page before. */
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
  /** What has arrived and is confirmed. */
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
  /** Who the exact amount is to be approved for; null on the path `transfer`. */
  spender: address.nullable(),
  createdAt: isoTime,
  expiresAt: isoTime,
  watchedUntil: isoTime,
  /** The newest transaction that is known of it. */
  transactionHash: z.string().nullable(),
  /** Transactions that the newest one took the place of, in order. */
  replacedHashes: z.array(z.string()),
  blockNumber: z.number().int().nullable(),
  confirmations: z.number().int(),
  required: z.number().int(),
  /** What there is to know or to do, in a sentence for a person. */
  message: z.string().nullable(),
  subscription: subscription.nullable(),
})
export type Order = z.infer<typeof order>

export const orderPage = z.object({
  items: z.array(order),
  /** What to ask for the next page with; null on the last. */
  next: z.string().nullable(),
})

/** The admin who settled something; a name of null: an account that is gone. Null where nobody did. */
export const resolver = z.object({ id: z.string(), name: z.string().nullable() }).nullable()

/** What an operator has done about what was unusual; nothing is sent by the server. */
export const orderResolutions = ['refund_noted', 'ignore'] as const

export const adminOrdersQuery = z.strictObject({
  /** Only orders with this flag: `over` are those with an excess. */
  flag: orderFlag.optional(),
  /** Only those that nobody has settled, or that somebody has. */
  state: z.enum(['open', 'resolved']).optional(),
  cursor: z.string().max(100).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
})

/**
 * A transfer that names an order. `counted`: a payment of it. `unmatched`: kept for the operator, as a part that waits for the rest or because it
 * came too late. `reverted`: it has left the chain.
 */
export const orderTransfer = z.object({
  transactionHash: z.string(),
  /** Position among the logs of its transaction. */
  logIndex: z.number().int(),
  amountWei: amountWei,
  /** The block's time. */
  at: isoTime,
  standing: z.enum(['counted', 'unmatched', 'reverted']),
})

/**
 * An order with whose it is; the owner is null when the account is gone. A payment that was credited without an order stands here as a purchase
 * that was made by paying.
 */
export const adminOrder = order.extend({
  owner: z.object({ id: z.uuid(), name: z.string(), email: z.string().nullable() }).nullable(),
  /** In the order of the chain. */
  transfers: z.array(orderTransfer),
  /** What was done about it; null while nothing was, and again when another transfer comes for it. */
  resolvedAt: isoTime.nullable(),
  resolvedBy: resolver,
  resolution: z.enum(orderResolutions).nullable(),
  resolutionReason: z.string().nullable(),
})
export type AdminOrder = z.infer<typeof adminOrder>
export const adminOrderPage = z.object({ items: z.array(adminOrder), next: z.string().nullable() })
