import type { Order } from '@tocsin/protocol'

/** Money is on its way, or was: nobody is asked for a second payment meanwhile. */
export function isUnderWay({ status, transactionHash }: Order): boolean {
  if (status === 'seen' || status === 'confirming' || status === 'reorganised') return true
  return status === 'open' && transactionHash !== null
}

/** A payment for it would count: nothing, or too little, has arrived. */
export function isPayable(order: Order): boolean {
  return !isUnderWay(order) && ['open', 'underpaid', 'failed', 'dropped'].includes(order.status)
}

const quickReads = 40
const quickMs = 1500
const slowMs = 4000

/**
 * When a page reads an order again after so many reads; false if a dialog does not show it and no
 * money is on its way.
 */
export function pauseMs(order: Order | undefined, reads: number, isWatched: boolean): number | false {
  if (order === undefined) return slowMs
  if (isUnderWay(order)) return reads < quickReads ? quickMs : slowMs
  // The network may take back what it has just shown, and a payment counts that lands after the
  // time limit or a cancellation.
  return isWatched ? slowMs : false
}

/**
 * Whether it may change by itself: money is on its way, or may be sent from elsewhere at any
 * moment.
 */
export function isMoving(order: Order, nowMs: number): boolean {
  return isUnderWay(order) || (isPayable(order) && Date.parse(order.expiresAt) > nowMs)
}

/**
 * The purchase to go on with: one that is under way before one that lacks money and can still get
 * it, unless the person has put it aside. Orders that were only begun are taken up when the same
 * plan is chosen again.
 * @param orders newest first
 */
export function findCurrent(orders: readonly Order[], asideIds: readonly string[], nowMs: number): Order | null {
  const watched = orders.filter(({ id }) => !asideIds.includes(id))
  const isOwing = ({ status, watchedUntil }: Order) => status === 'underpaid' && Date.parse(watchedUntil) > nowMs
  return watched.find(isUnderWay) ?? watched.find(isOwing) ?? null
}

/**
 * The order to pay for this plan from this wallet, when one was begun before: by this page, another
 * tab or another device.
 */
export function findBegun(
  orders: readonly Order[],
  { planType, payer, nowMs }: { planType: Order['planType']; payer: string; nowMs: number },
): Order | null {
  const begun = orders.find(
    (order) =>
      isPayable(order) &&
      order.status !== 'underpaid' &&
      order.planType === planType &&
      order.payer.toLowerCase() === payer.toLowerCase() &&
      Date.parse(order.expiresAt) > nowMs,
  )
  return begun ?? null
}

/** A paid period that waits for the end of the one before it. */
export type QueuedPeriod = { planType: Order['planType']; startTime: string; endTime: string }

/** Paid periods that have not begun, the next first. */
export function listQueued(orders: readonly Order[], nowMs: number): QueuedPeriod[] {
  return orders
    .flatMap(({ status, subscription }) => (status === 'paid' && subscription ? [subscription] : []))
    .filter(({ startTime }) => Date.parse(startTime) > nowMs)
    .map(({ planType, startTime, endTime }) => ({ planType, startTime, endTime }))
    .sort((a, b) => a.startTime.localeCompare(b.startTime))
}
