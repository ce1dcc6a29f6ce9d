import type { PlanId } from '@tocsin/protocol'

/**
 * The last request to open the dialog. A null plan opens the plan choice. Every request is a new
 * object, so that a repeated one is recognised.
 */
export type PurchaseRequest = { planId: PlanId | null }
