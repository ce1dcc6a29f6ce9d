import type { OrderParts } from './features/payments/order-service.ts'
import {
  findSubscriptions,
  isSubscribed,
  restorePayment,
  revokePayment,
  startPeriods,
} from './features/subscriptions/service.ts'
import { lockAnyAccount, lockFreeAccounts } from './features/subscriptions/store.ts'

/** Connects payments with subscriptions. */
export const purchases: OrderParts = {
  lockAccount: lockAnyAccount,
  lockFreeAccounts,
  credit: startPeriods,
  revokePayment,
  restorePayment,
  isSubscribed,
  findSubscriptions,
}
