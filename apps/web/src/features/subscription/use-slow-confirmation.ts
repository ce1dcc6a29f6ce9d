import type { Order } from '@tocsin/protocol'
import { useEffect, useState } from 'react'
import { useUser } from '../../session/auth.tsx'
import { useNow } from '../../ui/now.ts'
import { usePurchaseFlow } from './flow-context.ts'
import { slowConfirmationMs } from './order-messages.ts'
import type { PurchasePhase } from './purchase.ts'
import { readSentPayments } from './sent-payments.ts'

/** Whether the payment has been unconfirmed for more than ten minutes. */
export function useIsConfirmationSlow(): boolean {
  const { phase, sentAtMs } = usePurchaseFlow()
  return useNow((nowMs) => phase === 'sent' && sentAtMs !== null && nowMs - sentAtMs > slowConfirmationMs)
}

/**
 * Returns when the payment of the order was sent, in Unix milliseconds. For a payment from another
 * device, returns when this page first saw it. Null if no payment is known.
 */
export function useSentAtMs(order: Order | null, phase: PurchasePhase): number | null {
  const { id: userId } = useUser()
  const [firstSeenOrder, setFirstSeenOrder] = useState<{ orderId: string; atMs: number } | null>(null)
  const orderId = order?.id ?? null
  const isSent = phase === 'sent'
  useEffect(() => {
    if (isSent && orderId !== null) setFirstSeenOrder({ orderId, atMs: Date.now() })
  }, [isSent, orderId])
  const sentPayment = readSentPayments(userId).find((payment) => payment.orderId === orderId)
  if (sentPayment) return sentPayment.sentAtMs
  return firstSeenOrder?.orderId === orderId ? (firstSeenOrder?.atMs ?? null) : null
}
