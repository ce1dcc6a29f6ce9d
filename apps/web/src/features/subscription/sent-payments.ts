import { browserStorage } from '../../browser/browser-storage.ts'
import { readRecord, readRecords, readStored, store } from '../../browser/stored-json.ts'

/**
 * A payment that the wallet in this browser sent, or whose transaction the user pasted. It is
 * reported again until the server answers.
 */
export interface SentPayment {
  orderId: string
  hash: string
  /** In Unix milliseconds. The time of the report for a pasted transaction. */
  sentAtMs: number
  isReported: boolean
}

const keptOrders = 20
const createKey = (kind: 'sent' | 'asked' | 'aside', userId: string) => `payment:${kind}:${userId}`

export function readSent(userId: string): SentPayment[] {
  return readRecords(createKey('sent', userId)).flatMap(({ orderId, hash, sentAtMs, isReported }) => {
    const isPayment = typeof orderId === 'string' && typeof hash === 'string' && typeof sentAtMs === 'number'
    return isPayment ? [{ orderId, hash, sentAtMs, isReported: isReported === true }] : []
  })
}

/** Stores a payment. It replaces the stored payment of the same order. */
export function writeSent(userId: string, payment: SentPayment): void {
  const others = readSent(userId).filter(({ orderId }) => orderId !== payment.orderId)
  store(createKey('sent', userId), [payment, ...others].slice(0, keptOrders))
}

/**
 * Returns the order of the last wallet request that was not answered or whose result is unknown.
 * Such a request may still be open after a reload.
 */
export function readPendingRequest(userId: string): { orderId: string; askedAtMs: number } | null {
  const { orderId, askedAtMs } = readRecord(createKey('asked', userId))
  return typeof orderId === 'string' && typeof askedAtMs === 'number' ? { orderId, askedAtMs } : null
}

export function writePendingRequest(userId: string, request: { orderId: string; askedAtMs: number } | null): void {
  const key = createKey('asked', userId)
  if (request === null) browserStorage.removeItem(key)
  else store(key, request)
}

/**
 * Ids of orders that the user dismissed. They no longer open by themselves; the server still
 * watches them.
 */
export function readDismissed(userId: string): string[] {
  const ids = readStored(createKey('aside', userId))
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
}

export function dismissOrder(userId: string, orderId: string): void {
  store(createKey('aside', userId), [orderId, ...readDismissed(userId)].slice(0, keptOrders))
}
