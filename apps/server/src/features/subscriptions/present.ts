import type { Subscription } from '@tocsin/protocol'
import type { PaidSubscription } from './store.ts'
import { isRunning } from './subscription.ts'

export function presentSubscription(row: PaidSubscription, now: Date): Subscription {
  return {
    id: row.id,
    userId: row.accountId,
    planType: row.planId,
    tokenAmount: row.amountWei.toString(),
    startTime: row.startsAt.toISOString(),
    endTime: row.endsAt.toISOString(),
    transactionHash: row.txHash,
    isActive: row.cancelledAt === null && row.revokedAt === null && isRunning(row, now),
    cancelledAt: row.cancelledAt?.toISOString() ?? null,
  }
}
