import type { OrderParts } from './features/payments/order-service.ts'
import {
  creditInTransaction,
  findSubscriptions,
  isSubscribed,
  restorePayment,
  revokePayment,
} from './features/subscriptions/service.ts'
import { lockAnyAccount } from './features/subscriptions/store.ts'

/** What payments do to subscriptions, and ask of them. */
export const purchases: OrderParts = {
  lockAccount: lockAnyAccount,
  credit: creditInTransaction,
  revokePayment,
  restorePayment,
  isSubscribed,
  findSubscriptions,
}
