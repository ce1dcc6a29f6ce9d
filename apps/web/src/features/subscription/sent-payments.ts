import { browserStorage } from '../../browser/browser-storage.ts'
import { readStoredRecord, readStoredRecords, readStoredValue, store } from '../../browser/stored-json.ts'

/**
 * A payment that the wallet in this browser sent, or whose transaction the user pasted. It is
 * reported again until the server answers.
 */
export interface SentPayment {
  orderId: string
  hash: string
  /** Unix time in ms. For a pasted transaction, the time at which it was reported. */
  sentAtMs: number
  isReported: boolean
}

const maxStoredOrders = 20
const createKey = (kind: 'sent' | 'asked' | 'aside', userId: string) => `payment:${kind}:${userId}`

export function readSentPayments(userId: string): SentPayment[] {
  return readStoredRecords(createKey('sent', userId)).flatMap(({ orderId, hash, sentAtMs, isReported }) => {
    const isPayment = typeof orderId === 'string' && typeof hash === 'string' && typeof sentAtMs === 'number'
    return isPayment ? [{ orderId, hash, sentAtMs, isReported: isReported === true }] : []
  })
}

/** Stores a payment. It replaces the stored payment of the same order. */
export function writeSentPayment(userId: string, payment: SentPayment): void {
  const otherPayments = readSentPayments(userId).filter(({ orderId }) => orderId !== payment.orderId)
  store(createKey('sent', userId), [payment, ...otherPayments].slice(0, maxStoredOrders))
}

/**
 * Returns the order of the last wallet request that was not answered or whose result is unknown.
 * Such a request may still be open after a reload.
 */
export function readPendingRequest(userId: string): { orderId: string; askedAtMs: number } | null {
  const { orderId, askedAtMs } = readStoredRecord(createKey('asked', userId))
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
export function readDismissedIds(userId: string): string[] {
  const ids = readStoredValue(createKey('aside', userId))
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
}

export function dismissOrder(userId: string, orderId: string): void {
  store(createKey('aside', userId), [orderId, ...readDismissedIds(userId)].slice(0, maxStoredOrders))
}
