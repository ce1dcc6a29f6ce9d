import type { Order } from '@tocsin/protocol'

/**
 * True from the first known transaction until the payment is final. The page must not ask the user
 * to pay again during that time.
 */
export function isInProgress({ status, isPending }: Order): boolean {
  if (status === 'seen' || status === 'confirming' || status === 'reorganised') return true
  return status === 'open' && isPending
}

/** True if the order needs a payment that would still count: nothing or too little has arrived. */
export function isPayable(order: Order): boolean {
  return !isInProgress(order) && ['open', 'underpaid', 'failed', 'dropped'].includes(order.status)
}

const fastPolls = 40
const fastPollMs = 1500
const slowPollMs = 4000

/**
 * Milliseconds until the next poll of an order: fast for the first polls of a payment in progress,
 * then slow. False, for no polling, if no payment is in progress and no dialog shows the order.
 * @param pollCount number of polls since the payment is in progress
 */
export function computePollIntervalMs(order: Order | undefined, pollCount: number, isShown: boolean): number | false {
  if (order === undefined) return slowPollMs
  if (isInProgress(order)) return pollCount < fastPolls ? fastPollMs : slowPollMs
  // Poll orders that look final too: a reorg can revoke a payment, and a payment that arrives after
  // expiry or cancellation counts.
  return isShown ? slowPollMs : false
}

/**
 * True if the order may change without an action on this page: a payment is in progress, or the
 * user may pay the order on another page or device.
 */
export function mayChange(order: Order, nowMs: number): boolean {
  return isInProgress(order) || (isPayable(order) && Date.parse(order.expiresAt) > nowMs)
}

/**
 * The order that the purchase dialog should show: a payment in progress, else an underpaid order
 * that can still be topped up. Ignores dismissed orders. An unpaid open order is not active; the
 * server returns it again when the user chooses the same plan with the same terms.
 * @param orders newest first
 */
export function findActiveOrder(
  orders: readonly Order[],
  dismissedIds: readonly string[],
  nowMs: number,
): Order | null {
  const candidates = orders.filter(({ id }) => !dismissedIds.includes(id))
  return candidates.find(isInProgress) ?? candidates.find((order) => canBeToppedUp(order, nowMs)) ?? null
}

/** True if the order is underpaid and the rest would still be credited. */
export function canBeToppedUp({ status, watchedUntil }: Order, nowMs: number): boolean {
  return status === 'underpaid' && Date.parse(watchedUntil) > nowMs
}

/** A paid period that starts when the previous one ends. */
export type QueuedPeriod = { planType: Order['planType']; startTime: string; endTime: string }

/** Paid periods that have not started and were not cancelled, earliest first. */
export function listQueuedPeriods(orders: readonly Order[], nowMs: number): QueuedPeriod[] {
  return orders
    .flatMap(({ status, subscription }) => (status === 'paid' && subscription ? [subscription] : []))
    .filter(({ startTime, cancelledAt }) => !cancelledAt && Date.parse(startTime) > nowMs)
    .map(({ planType, startTime, endTime }) => ({ planType, startTime, endTime }))
    .sort((a, b) => a.startTime.localeCompare(b.startTime))
}
