import { type OrderFlag, type OrderStatus, type PlanId, planIds } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import type { Transfer } from '../../chain/transfer.ts'

/** The fields of an order that decide which transfers it receives. */
export interface UnpaidOrder {
  id: string
  planId: PlanId
  priceWei: bigint
  createdAt: Date
  expiresAt: Date
  watchedUntil: Date
  cancelledAt: Date | null
  /** When the unpaid order lost its use of the coupon to another purchase. */
  couponReleasedAt: Date | null
  /** The transaction that the buyer reported. */
  txHash: string | null
  /** Hashes of the transactions by which this server collects the order. */
  collectionHashes: readonly string[]
  /** Partial payments received earlier. */
  parts: readonly { amountWei: bigint }[]
}

export interface OrderTerms {
  /** Allowed underpayment in basis points of the price. */
  toleranceBps: number
  /** Current price of a plan in wei. */
  priceOf(planId: PlanId): bigint
  /**
   * How long after its watch period an unpaid order still matches a transfer of exactly its price.
   * Such a transfer is not credited automatically: an admin decides.
   */
  maxAgeMs: number
}

type ReceivedTransfer = Pick<Transfer, 'txHash' | 'amountWei' | 'blockAt'>

/**
 * The outcome for a group of transfers: they complete an order, pay part of one, arrived too late
 * for one, or match no order.
 */
export type Allocation<T, O> =
  | { kind: 'paid'; order: O; transfers: T[]; flags: OrderFlag[] }
  | { kind: 'part'; order: O; transfers: T[]; flags: OrderFlag[] }
  | { kind: 'late'; order: O; transfers: T[]; flags: OrderFlag[] }
  | { kind: 'none'; transfers: T[] }

/** Maximum lag of block timestamps behind the server's clock. */
const CLOCK_SKEW_MS = 15 * MINUTE_MS
const BPS = 10_000n

/** Returns the minimum amount for an order to count as paid. */
export function computeRequiredWei(priceWei: bigint, toleranceBps: number): bigint {
  return priceWei - (priceWei * BigInt(toleranceBps)) / BPS
}

/**
 * Returns the amount that must remain on the chain for the payment to count: the required amount,
 * or less if an admin accepted less.
 */
export function computeRequiredOnChain(priceWei: bigint | null, everCreditedWei: bigint, toleranceBps: number): bigint {
  if (priceWei === null) return everCreditedWei
  const requiredAmountWei = computeRequiredWei(priceWei, toleranceBps)
  return requiredAmountWei < everCreditedWei ? requiredAmountWei : everCreditedWei
}

/**
 * Returns true if the transfer is past the deadline by its block's timestamp, not by the time of
 * detection. An order that lost its coupon is always late: its price is no longer valid. A transfer
 * that this server has sent is never late, because the server sends it only before the deadline.
 */
function isLate(order: UnpaidOrder, { blockAt, txHash }: ReceivedTransfer): boolean {
  if (order.couponReleasedAt !== null) return true
  return blockAt > computeDueAt(order) && !order.collectionHashes.includes(txHash)
}

/**
 * Returns until when a late payment is credited automatically. If the order's price differs from
 * the plan's price, for example because of a coupon, late payments are not credited automatically.
 */
export function computeCreditDeadline(
  order: Pick<UnpaidOrder, 'priceWei' | 'expiresAt' | 'watchedUntil' | 'cancelledAt'>,
  planPriceWei: bigint,
): Date {
  return order.priceWei === planPriceWei ? order.watchedUntil : computeDueAt(order)
}

/**
 * Allocates the transfers of one payer, in order, to the payer's unpaid orders. Several transfers
 * can pay one order. An order grants its own plan only, regardless of overpayment.
 */
export function allocateTransfers<T extends ReceivedTransfer, O extends UnpaidOrder>(
  transfers: readonly T[],
  orders: readonly O[],
  terms: OrderTerms,
): Allocation<T, O>[] {
  const allocations: Allocation<T, O>[] = []
  const openAllocations = new Map(
    orders.map((order) => [order.id, { order, sumWei: sumAmounts(order.parts), transfers: [] as T[] }]),
  )
  for (const transfer of transfers) {
    const chosenAllocation = pickOrder(transfer, [...openAllocations.values()], terms)
    if (!chosenAllocation) {
      allocations.push({ kind: 'none', transfers: [transfer] })
      continue
    }
    const { order } = chosenAllocation
    if (needsReview(order, transfer, terms)) {
      allocations.push({ kind: 'late', order, transfers: [transfer], flags: ['late'] })
      continue
    }
    chosenAllocation.sumWei += transfer.amountWei
    chosenAllocation.transfers.push(transfer)
    if (chosenAllocation.sumWei < computeRequiredWei(order.priceWei, terms.toleranceBps)) continue
    openAllocations.delete(order.id)
    allocations.push({
      kind: 'paid',
      order,
      transfers: chosenAllocation.transfers,
      flags: listOrderFlags(chosenAllocation, true),
    })
  }
  for (const allocation of openAllocations.values()) {
    if (allocation.transfers.length === 0) continue
    allocations.push({
      kind: 'part',
      order: allocation.order,
      transfers: allocation.transfers,
      flags: listOrderFlags(allocation, false),
    })
  }
  return allocations
}

interface OrderAllocation<T, O> {
  order: O
  sumWei: bigint
  transfers: T[]
}

/**
 * Picks the order for a transfer. An order is late if the transfer is past its deadline (see
 * `isLate`). Preference:
 * 1. An order whose unpaid amount equals the transfer: the one that the buyer reported the
 *    transaction for, else the oldest one that is not late, else the newest late one.
 * 2. The order that the buyer reported the transaction for.
 * 3. The newest order that is not late, else the newest late one.
 */
function pickOrder<T extends ReceivedTransfer, O extends UnpaidOrder>(
  transfer: T,
  openAllocations: readonly OrderAllocation<T, O>[],
  terms: OrderTerms,
): OrderAllocation<T, O> | null {
  const { blockAt, amountWei, txHash } = transfer
  const candidates = openAllocations
    .filter(({ order }) => isCandidate(order, blockAt, terms))
    .sort((a, b) => a.order.createdAt.getTime() - b.order.createdAt.getTime())
  const isReported = ({ order }: OrderAllocation<T, O>) => order.txHash === txHash
  const isExact = ({ order, sumWei }: OrderAllocation<T, O>) => order.priceWei - sumWei === amountWei
  const isInTime = ({ order }: OrderAllocation<T, O>) => !isLate(order, transfer)
  const isWatched = ({ order }: OrderAllocation<T, O>) => blockAt <= order.watchedUntil
  const exactMatches = candidates.filter(isExact)
  return (
    exactMatches.find(isReported) ??
    exactMatches.find(isInTime) ??
    exactMatches.filter(isWatched).at(-1) ??
    candidates.find((candidate) => isReported(candidate) && isWatched(candidate)) ??
    candidates.filter(isInTime).at(-1) ??
    // A late transfer with the exact price of a plan is added only to an order that has a partial
    // payment. Otherwise it is credited as a payment without an order.
    candidates
      .filter((candidate) => isWatched(candidate) && (candidate.sumWei > 0n || !isPrice(amountWei, terms)))
      .at(-1) ??
    // After its watch period, an order is chosen only if its unpaid amount equals the transfer. The
    // transfer is then assigned to that order as late, and an admin decides.
    exactMatches.at(-1) ??
    null
  )
}

function isPrice(amountWei: bigint, { priceOf }: OrderTerms): boolean {
  return planIds.some((planId) => priceOf(planId) === amountWei)
}

function isCandidate(order: UnpaidOrder, blockAt: Date, { maxAgeMs }: OrderTerms): boolean {
  const at = blockAt.getTime()
  return at >= order.createdAt.getTime() - CLOCK_SKEW_MS && at <= order.watchedUntil.getTime() + maxAgeMs
}

/**
 * Returns true if an admin must decide: the order has lost its coupon, the transfer is after the
 * watch period, or it is late and the order's price differs from the plan's price.
 */
function needsReview(order: UnpaidOrder, transfer: ReceivedTransfer, { priceOf }: OrderTerms): boolean {
  if (order.couponReleasedAt !== null) return true
  const isCreditable =
    transfer.blockAt <= computeCreditDeadline(order, priceOf(order.planId)) || !isLate(order, transfer)
  return transfer.blockAt > order.watchedUntil || !isCreditable
}

function listOrderFlags<T extends ReceivedTransfer>(
  { order, sumWei, transfers }: OrderAllocation<T, UnpaidOrder>,
  isPaid: boolean,
) {
  const flags: OrderFlag[] = []
  if (!isPaid) flags.push('under')
  if (sumWei > order.priceWei) flags.push('over')
  if (transfers.some((transfer) => isLate(order, transfer))) flags.push('late')
  if (order.parts.length + transfers.length > 1) flags.push('multiple')
  return flags
}

function computeDueAt({ expiresAt, cancelledAt }: Pick<UnpaidOrder, 'expiresAt' | 'cancelledAt'>): Date {
  return cancelledAt && cancelledAt < expiresAt ? cancelledAt : expiresAt
}

function sumAmounts(parts: readonly { amountWei: bigint }[]): bigint {
  return parts.reduce((sum, { amountWei }) => sum + amountWei, 0n)
}

export function computeExcess(paidWei: bigint, priceWei: bigint): bigint {
  return paidWei > priceWei ? paidWei - priceWei : 0n
}

/** Returns the amounts of a payment without an order, to present it as a purchase. */
export function computeAmountsWithoutOrder(payment: {
  amountWei: bigint
  priceWei: bigint | null
  revertedAt: Date | null
}) {
  const priceWei = payment.priceWei ?? payment.amountWei
  const paidWei = payment.revertedAt ? 0n : payment.amountWei
  // The flags do not change while the payment is reverted.
  const flags: OrderFlag[] = payment.amountWei > priceWei ? ['over'] : []
  return { priceWei, paidWei, excessWei: computeExcess(paidWei, priceWei), flags }
}

/** The fields that, together with the time, decide an order's status. */
export interface OrderState {
  expiresAt: Date
  cancelledAt: Date | null
  paidAt: Date | null
  txState: 'seen' | 'confirming' | 'failed' | 'reorganised' | 'dropped' | null
  paidWei: bigint
  /** True if a payment was reverted and the remaining ones do not cover the price. */
  isReverted: boolean
}

/** States of a transaction that may still pay its order. */
export const pendingStates = ['seen', 'confirming', 'reorganised'] as const

export function isPendingState(state: OrderState['txState']): state is (typeof pendingStates)[number] {
  return pendingStates.some((pendingState) => pendingState === state)
}

export function computeOrderStatus(order: OrderState, now: Date): OrderStatus {
  if (order.paidAt) return order.isReverted ? 'reorganised' : 'paid'
  if (isPendingState(order.txState)) return order.txState
  if (order.paidWei > 0n) return 'underpaid'
  if (order.cancelledAt) return 'cancelled'
  if (now > order.expiresAt) return 'expired'
  return order.txState ?? 'open'
}
