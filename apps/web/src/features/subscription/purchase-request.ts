import type { PlanId } from '@tocsin/protocol'

/** What opened the dialog last: a plan, or the choice of one. A new object each time. */
export type PurchaseRequest = { planId: PlanId | null }
