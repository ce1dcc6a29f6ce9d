import type { Activity } from '@tocsin/protocol'
import { and, eq } from 'drizzle-orm'
import type { Queryable } from './db/database.ts'
import { activities } from './db/schema/accounts.ts'
import { recordSecurityEvents, securityEventOfActivity } from './security-events.ts'

export interface NewActivity {
  accountId: string
  kind: Activity['kind']
  /** Plain text shown to the account's owner. */
  detail: string
  /** A transaction hash, an alert id, the address of a wallet, or the former email address. */
  reference?: string
  at: Date
  /** Network of the request. Only stored in the security log. */
  network?: string
}

/** True if the account's activity log has an entry of this kind with this reference. */
export async function hasActivity(
  tx: Queryable,
  { accountId, kind, reference }: Required<Pick<NewActivity, 'accountId' | 'kind' | 'reference'>>,
): Promise<boolean> {
  const conditions = [
    eq(activities.accountId, accountId),
    eq(activities.kind, kind),
    eq(activities.reference, reference),
  ]
  const [row] = await tx
    .select({ id: activities.id })
    .from(activities)
    .where(and(...conditions))
    .limit(1)
  return row !== undefined
}

/** Adds an entry to an account's activity log. Call this in the transaction of the change. */
export async function recordActivity(tx: Queryable, activity: NewActivity): Promise<void> {
  await recordActivities(tx, [activity])
}

/**
 * Adds one or more entries; `newActivities` must not be empty. Entries that concern access are also
 * added to the security log.
 */
export async function recordActivities(tx: Queryable, newActivities: readonly NewActivity[]): Promise<void> {
  await tx
    .insert(activities)
    .values(
      newActivities.map(({ network: _, ...activity }) => ({ ...activity, reference: activity.reference ?? null })),
    )
  await recordSecurityEvents(
    tx,
    newActivities.map(securityEventOfActivity).filter((event) => event !== null),
  )
}
