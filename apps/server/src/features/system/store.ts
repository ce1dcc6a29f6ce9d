import { and, countDistinct, gt, isNull, lte } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { subscriptions } from '../../db/schema/subscriptions.ts'

/** Counts the accounts with a running subscription. */
export async function countActiveAccounts(tx: Queryable, now: Date): Promise<number> {
  const { accountId, startsAt, endsAt, cancelledAt, revokedAt } = subscriptions
  const [row] = await tx
    .select({ count: countDistinct(accountId) })
    .from(subscriptions)
    .where(and(lte(startsAt, now), gt(endsAt, now), isNull(cancelledAt), isNull(revokedAt)))
  return row?.count ?? 0
}
