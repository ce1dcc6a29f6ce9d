import type { Order } from '@tocsin/protocol'
import { createContext, use } from 'react'
import type { Funds } from '../../wallet/token-payment.ts'
import type { TransactionOutcome } from './order-messages.ts'
import type { PaymentBlocker, Purchase, PurchaseEvent, PurchasePhase, PurchaseTerms } from './purchase.ts'
import type { PaymentActions } from './use-payment.ts'

/** The state and the actions of one purchase, shared by the parts of its dialog. */
export type PurchaseFlowState = PaymentActions & {
  purchase: Purchase
  /** The order on the server; null until it is created. */
  order: Order | null
  phase: PurchasePhase
  /** Null until the server's configuration is loaded. */
  terms: PurchaseTerms | null
  /** Funds of the connected wallet on the payment's chain. */
  funds: Funds | null
  /** The first reason why the user can't pay now; null if the user can pay. */
  obstacle: PaymentBlocker | null
  outcome: TransactionOutcome
  /** When the payment was sent or first seen (`useSentAtMs`), in Unix milliseconds. */
  sentAtMs: number | null
  dispatch: (event: PurchaseEvent) => void
  close: () => void
}

export const FlowContext = createContext<PurchaseFlowState | null>(null)

export function usePurchaseFlow(): PurchaseFlowState {
  const flow = use(FlowContext)
  if (!flow) throw new Error('usePurchaseFlow must be used within a PurchaseFlow')
  return flow
}
