import { type OrderFlag, type OrderStatus, type PlanId, planIds } from '@tocsin/protocol'
import type { Transfer } from '../../chain/transfer.ts'

/** An order as far as it decides what a transfer is meant for. */
export interface UnpaidOrder {
  id: string
  planId: PlanId
  priceWei: bigint
  createdAt: Date
  expiresAt: Date
  watchedUntil: Date
  cancelledAt: Date | null
  /** The transaction that its buyer has named. */
  txHash: string | null
  /** What has arrived for it before. */
  parts: readonly { amountWei: bigint }[]
}

export interface OrderTerms {
  /** Of the price, by how much a payment may fall short. */
  toleranceBps: number
  /** What a plan costs now. */
  priceOf(planId: PlanId): bigint
  /** How long after the end of its watch an order still explains why a transfer is not credited by itself. */
  maxAgeMs: number
}

type Received = Pick<Transfer, 'txHash' | 'amountWei' | 'blockAt'>

/** What becomes of transfers: they complete an order, are a part of one, came too late for one, or have none. */
export type Allocation<T, O> =
  | { kind: 'paid'; order: O; transfers: T[]; flags: OrderFlag[] }
  | { kind: 'part'; order: O; transfers: T[]; flags: OrderFlag[] }
  | { kind: 'late'; order: O; transfers: T[]; flags: OrderFlag[] }
  | { kind: 'none'; transfers: T[] }

/** A block may be a little older by its own clock than the order that it pays. */
const CLOCK_SKEW_MS = 15 * 60_000
const BPS = 10_000n

/** What has to arrive for an order to count as paid. */
export function requiredWei(priceWei: bigint, toleranceBps: number): bigint {
  return priceWei - (priceWei * BigInt(toleranceBps)) / BPS
}

/** What has to stay on the chain: what was asked for, or what an operator took for enough. */
export function requiredOnChain(priceWei: bigint | null, attachedWei: bigint, toleranceBps: number): bigint {
  if (priceWei === null) return attachedWei
  const required = requiredWei(priceWei, toleranceBps)
  return required < attachedWei ? required : attachedWei
}

/** When a payment is late: the block's time decides, not when it was seen. */
export function isLate(order: Pick<UnpaidOrder, 'expiresAt' | 'cancelledAt'>, blockAt: Date): boolean {
  return blockAt > dueAt(order)
}

/**
 * Divides transfers of one payer among the payer's unpaid orders, in their order. Several add up. An order never gives more than its own plan,
 * however much arrives.
 */
export function allocate<T extends Received, O extends UnpaidOrder>(
  transfers: readonly T[],
  orders: readonly O[],
  terms: OrderTerms,
): Allocation<T, O>[] {
  const allocations: Allocation<T, O>[] = []
  const open = new Map(orders.map((order) => [order.id, { order, sumWei: sumOf(order.parts), transfers: [] as T[] }]))
  for (const transfer of transfers) {
    const chosen = pickOrder(transfer, [...open.values()], terms)
    if (!chosen) {
      allocations.push({ kind: 'none', transfers: [transfer] })
      continue
    }
    const { order } = chosen
    if (isForTheOperator(order, transfer, terms)) {
      allocations.push({ kind: 'late', order, transfers: [transfer], flags: ['late'] })
      continue
    }
    chosen.sumWei += transfer.amountWei
    chosen.transfers.push(transfer)
    if (chosen.sumWei < requiredWei(order.priceWei, terms.toleranceBps)) continue
    open.delete(order.id)
    allocations.push({ kind: 'paid', order, transfers: chosen.transfers, flags: flagsOf(chosen, true) })
  }
  for (const rest of open.values()) {
    if (rest.transfers.length === 0) continue
    allocations.push({ kind: 'part', order: rest.order, transfers: rest.transfers, flags: flagsOf(rest, false) })
  }
  return allocations
}

interface Filling<T, O> {
  order: O
  sumWei: bigint
  transfers: T[]
}

/**
 * The order that a transfer is meant for. First what fits exactly, in time before late and the oldest before the newest; then what its buyer
 * has named; then the newest, again in time before late.
 */
function pickOrder<T extends Received, O extends UnpaidOrder>(
  transfer: T,
  fillings: readonly Filling<T, O>[],
  terms: OrderTerms,
): Filling<T, O> | null {
  const { blockAt, amountWei, txHash } = transfer
  const possible = fillings
    .filter(({ order }) => explains(order, blockAt, terms))
    .sort((a, b) => a.order.createdAt.getTime() - b.order.createdAt.getTime())
  const isNamed = ({ order }: Filling<T, O>) => order.txHash === txHash
  const isExact = ({ order, sumWei }: Filling<T, O>) => order.priceWei - sumWei === amountWei
  const isInTime = ({ order }: Filling<T, O>) => !isLate(order, blockAt)
  const isWatched = ({ order }: Filling<T, O>) => blockAt <= order.watchedUntil
  const exact = possible.filter(isExact)
  return (
    exact.find(isNamed) ??
    exact.find(isInTime) ??
    exact.filter(isWatched).at(-1) ??
    possible.find((filling) => isNamed(filling) && isWatched(filling)) ??
    possible.filter(isInTime).at(-1) ??
    // Too late for an order and the price of a plan: rather a payment of its own.
    possible.filter((filling) => isWatched(filling) && (filling.sumWei > 0n || !isPrice(amountWei, terms))).at(-1) ??
    // Nobody watches it any more: it only tells why nothing is credited, and only where the amount is its own.
    exact.at(-1) ??
    null
  )
}

function isPrice(amountWei: bigint, { priceOf }: OrderTerms): boolean {
  return planIds.some((planId) => priceOf(planId) === amountWei)
}

function explains(order: UnpaidOrder, blockAt: Date, { maxAgeMs }: OrderTerms): boolean {
  const at = blockAt.getTime()
  return at >= order.createdAt.getTime() - CLOCK_SKEW_MS && at <= order.watchedUntil.getTime() + maxAgeMs
}

/** Too late to be counted by itself: after the watch, or at a price that is another one by now. */
function isForTheOperator(order: UnpaidOrder, { blockAt }: Received, { priceOf }: OrderTerms): boolean {
  if (!isLate(order, blockAt)) return false
  return blockAt > order.watchedUntil || priceOf(order.planId) !== order.priceWei
}

function flagsOf<T extends Received>({ order, sumWei, transfers }: Filling<T, UnpaidOrder>, isPaid: boolean) {
  const flags: OrderFlag[] = []
  if (!isPaid) flags.push('under')
  if (sumWei > order.priceWei) flags.push('over')
  if (transfers.some(({ blockAt }) => isLate(order, blockAt))) flags.push('late')
  if (order.parts.length + transfers.length > 1) flags.push('multiple')
  return flags
}

function dueAt({ expiresAt, cancelledAt }: Pick<UnpaidOrder, 'expiresAt' | 'cancelledAt'>): Date {
  return cancelledAt && cancelledAt < expiresAt ? cancelledAt : expiresAt
}

function sumOf(parts: readonly { amountWei: bigint }[]): bigint {
  return parts.reduce((sum, { amountWei }) => sum + amountWei, 0n)
}

export function excessOf(paidWei: bigint, priceWei: bigint): bigint {
  return paidWei > priceWei ? paidWei - priceWei : 0n
}

/** What a payment without an order comes to, seen as a purchase that was made by paying. */
export function orderlessAmounts(payment: { amountWei: bigint; priceWei: bigint | null; revertedAt: Date | null }) {
  const priceWei = payment.priceWei ?? payment.amountWei
  const paidWei = payment.revertedAt ? 0n : payment.amountWei
  // What was unusual stays so while the chain has lost it.
  const flags: OrderFlag[] = payment.amountWei > priceWei ? ['over'] : []
  return { priceWei, paidWei, excessWei: excessOf(paidWei, priceWei), flags }
}

/** What decides an order's status beside the time. */
export interface OrderState {
  expiresAt: Date
  cancelledAt: Date | null
  paidAt: Date | null
  txState: 'seen' | 'confirming' | 'failed' | 'reorganised' | 'dropped' | null
  paidWei: bigint
  /** A payment of it has left the chain, and without it too little is there. */
  isReverted: boolean
}

export function orderStatusAt(order: OrderState, now: Date): OrderStatus {
  if (order.paidAt) return order.isReverted ? 'reorganised' : 'paid'
  if (order.txState === 'seen' || order.txState === 'confirming' || order.txState === 'reorganised') {
    return order.txState
  }
  if (order.paidWei > 0n) return 'underpaid'
  if (order.cancelledAt) return 'cancelled'
  if (now > order.expiresAt) return 'expired'
  return order.txState ?? 'open'
}
