import { countDistinct } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { subscriptions } from '../../db/schema/subscriptions.ts'
import { isRunningAt } from '../subscriptions/store.ts'

/** Counts the accounts with a running subscription. */
export async function countActiveAccounts(tx: Queryable, now: Date): Promise<number> {
  const [row] = await tx
    .select({ count: countDistinct(subscriptions.accountId) })
    .from(subscriptions)
    .where(isRunningAt(now))
  return row?.count ?? 0
}
