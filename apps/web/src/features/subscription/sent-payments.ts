import { z } from 'zod'
import { browserStorage } from '../../browser/browser-storage.ts'

const sentPayment = z.object({ orderId: z.string(), hash: z.string(), sentAtMs: z.number(), isReported: z.boolean() })
/**
 * A payment that the wallet in this browser sent. It is reported again until the server answers.
 */
export type SentPayment = z.infer<typeof sentPayment>
const pendingRequest = z.object({ orderId: z.string(), askedAtMs: z.number() })

const keptOrders = 20
const keyOf = (kind: 'sent' | 'asked' | 'aside', userId: string) => `payment:${kind}:${userId}`

export function readSent(userId: string): SentPayment[] {
  return read(keyOf('sent', userId), z.array(sentPayment)) ?? []
}

/** Replaces the stored payment of the same order. */
export function writeSent(userId: string, payment: SentPayment): void {
  const others = readSent(userId).filter(({ orderId }) => orderId !== payment.orderId)
  write(keyOf('sent', userId), [payment, ...others].slice(0, keptOrders))
}

/** The order of an unanswered wallet request. The request may still be open after a reload. */
export function readPendingRequest(userId: string): { orderId: string; askedAtMs: number } | null {
  return read(keyOf('asked', userId), pendingRequest)
}

export function writePendingRequest(userId: string, request: { orderId: string; askedAtMs: number } | null): void {
  write(keyOf('asked', userId), request)
}

/**
 * Ids of orders that the user dismissed. They no longer open by themselves; the server still
 * watches them.
 */
export function readDismissed(userId: string): string[] {
  return read(keyOf('aside', userId), z.array(z.string())) ?? []
}

export function dismissOrder(userId: string, orderId: string): void {
  write(keyOf('aside', userId), [orderId, ...readDismissed(userId)].slice(0, keptOrders))
}

function read<T>(key: string, shape: z.ZodType<T>): T | null {
  try {
    return shape.parse(JSON.parse(browserStorage.getItem(key) ?? 'null'))
  } catch {
    return null
  }
}

function write(key: string, value: unknown): void {
  if (value === null) browserStorage.removeItem(key)
  else browserStorage.setItem(key, JSON.stringify(value))
}
