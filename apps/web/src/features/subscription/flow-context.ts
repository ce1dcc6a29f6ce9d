import type { Order } from '@tocsin/protocol'
import { createContext, use } from 'react'
import type { Funds } from '../../wallet/token-payment.ts'
import type { Followed } from './order-words.ts'
import type { Obstacle, Purchase, PurchaseEvent, PurchasePhase, Terms } from './purchase.ts'
import type { PaymentActions } from './use-payment.ts'

/** One purchase and what can be done about it, for the parts of its dialog. */
export type Flow = PaymentActions & {
  purchase: Purchase
  /** The server's word on it; null until it was ordered. */
  order: Order | null
  phase: PurchasePhase
  /** Null until the server has said what an order would say. */
  terms: Terms | null
  /** Of the connected wallet on the payment's chain. */
  funds: Funds | null
  /** What stands against paying now. */
  obstacle: Obstacle | null
  followed: Followed
  /** When this browser has sent its payment, ms since 1970. */
  sentAtMs: number | null
  dispatch: (event: PurchaseEvent) => void
  close: () => void
}

export const FlowContext = createContext<Flow | null>(null)

export function useFlow(): Flow {
  const flow = use(FlowContext)
  if (!flow) throw new Error('useFlow must be used within a PurchaseFlow')
  return flow
}
