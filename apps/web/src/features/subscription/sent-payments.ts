import { z } from 'zod'
import { browserStorage } from '../../browser-storage.ts'

const sentPayment = z.object({ orderId: z.string(), hash: z.string(), sentAtMs: z.number(), isReported: z.boolean() })
/**
 * A payment that this browser's wallet has sent. The server is told of it again until it has
 * answered.
 */
export type SentPayment = z.infer<typeof sentPayment>
const askedPayment = z.object({ orderId: z.string(), askedAtMs: z.number() })

const keptOrders = 20
const keyOf = (kind: 'sent' | 'asked' | 'aside', userId: string) => `payment:${kind}:${userId}`

export function readSent(userId: string): SentPayment[] {
  return read(keyOf('sent', userId), z.array(sentPayment)) ?? []
}

/** Takes the place of what is stored of the same order. */
export function writeSent(userId: string, payment: SentPayment): void {
  const others = readSent(userId).filter(({ orderId }) => orderId !== payment.orderId)
  write(keyOf('sent', userId), [payment, ...others].slice(0, keptOrders))
}

/**
 * The order that a wallet was asked to pay and has not answered for: its request may still be open,
 * also after a reload.
 */
export function readAsked(userId: string): { orderId: string; askedAtMs: number } | null {
  return read(keyOf('asked', userId), askedPayment)
}

export function writeAsked(userId: string, asked: { orderId: string; askedAtMs: number } | null): void {
  write(keyOf('asked', userId), asked)
}

/**
 * Orders that the person has put aside: they are in nobody's way any more. The server keeps
 * watching them.
 */
export function readAside(userId: string): string[] {
  return read(keyOf('aside', userId), z.array(z.string())) ?? []
}

export function putAside(userId: string, orderId: string): void {
  write(keyOf('aside', userId), [orderId, ...readAside(userId)].slice(0, keptOrders))
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
