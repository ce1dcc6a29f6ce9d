import { and, asc, desc, eq, gte, isNull, lte, type SQL, sql } from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { scheduledAlerts } from '../../db/schema/schedule.ts'

export type ScheduledRow = typeof scheduledAlerts.$inferSelect

const isWaiting = and(isNull(scheduledAlerts.issuedAt), isNull(scheduledAlerts.cancelledAt))

function selectListed(tx: Queryable) {
  const creatorName = sql<string | null>`(select a.name from accounts a where a.id = scheduled_alerts.created_by)`
  return tx.select({ scheduled: scheduledAlerts, creatorName }).from(scheduledAlerts)
}

/** Returns scheduled alerts after the one with the id `cursor`, the latest time of issue first. */
export function listScheduled(tx: Queryable, cursor: string | undefined, limit: number) {
  return selectListed(tx)
    .where(
      cursor === undefined
        ? undefined
        : sql`(${scheduledAlerts.issueAt}, ${scheduledAlerts.id}) <
            (select c.issue_at, c.id from scheduled_alerts c where c.id = ${cursor})`,
    )
    .orderBy(desc(scheduledAlerts.issueAt), desc(scheduledAlerts.id))
    .limit(limit)
}

export async function getScheduled(tx: Queryable, id: string) {
  const [row] = await selectListed(tx).where(eq(scheduledAlerts.id, id))
  if (!row) throw new Error('The scheduled alert was not stored')
  return row
}

export type ListedScheduled = Awaited<ReturnType<typeof getScheduled>>

export async function insertScheduled(tx: Tx, row: typeof scheduledAlerts.$inferInsert): Promise<string> {
  const [insertedAlert] = await tx.insert(scheduledAlerts).values(row).returning({ id: scheduledAlerts.id })
  if (!insertedAlert) throw new Error('The scheduled alert was not stored')
  return insertedAlert.id
}

export async function lockScheduled(tx: Tx, id: string): Promise<ScheduledRow | null> {
  const [row] = await tx.select().from(scheduledAlerts).where(eq(scheduledAlerts.id, id)).for('update')
  return row ?? null
}

export async function updateScheduled(tx: Queryable, id: string, change: Partial<ScheduledRow>): Promise<void> {
  await tx.update(scheduledAlerts).set(change).where(eq(scheduledAlerts.id, id))
}

/**
 * Returns the waiting alerts whose time of issue has been reached and is not before `notBefore`, in
 * order.
 */
export function listDue(tx: Queryable, now: Date, notBefore: Date, limit: number): Promise<ScheduledRow[]> {
  return tx
    .select()
    .from(scheduledAlerts)
    .where(and(isWaiting, lte(scheduledAlerts.issueAt, now), gte(scheduledAlerts.issueAt, notBefore)))
    .orderBy(asc(scheduledAlerts.issueAt), asc(scheduledAlerts.id))
    .limit(limit)
}

/** Computes the time in ms until the next alert is due, for `pauseUntilDue`. */
export function selectDueAfterMs({ now, notBefore }: { now: Date; notBefore: Date }): SQL<number | null> {
  const selectMsUntilDue = sql`extract(epoch from min(${scheduledAlerts.issueAt}) - ${now.toISOString()}::timestamptz) * 1000`
  return sql`(select (${selectMsUntilDue})::float8 from ${scheduledAlerts} where ${and(isWaiting, gte(scheduledAlerts.issueAt, notBefore))})`
}

/**
 * Marks a waiting alert as issued, unless it was changed since it was read.
 * @returns false if it is no longer waiting, or its content or author has changed
 */
export function markIssued(tx: Tx, readRow: ScheduledRow, alertId: string, at: Date): Promise<boolean> {
  return updateIfUnchanged(tx, readRow, { issuedAt: at, alertId, problem: null })
}

/**
 * Cancels a waiting alert that must not be issued, unless it was changed since it was read.
 * @returns false if it is no longer waiting, or its content or author has changed
 */
export function markRefused(tx: Tx, readRow: ScheduledRow, problem: string, at: Date): Promise<boolean> {
  return updateIfUnchanged(tx, readRow, { cancelledAt: at, problem })
}

/**
 * Stores why a waiting alert could not be issued, unless it was changed since it was read.
 * @returns false if it is no longer waiting, or its content or author has changed
 */
export function updateProblem(tx: Tx, readRow: ScheduledRow, problem: string): Promise<boolean> {
  return updateIfUnchanged(tx, readRow, { problem })
}

async function updateIfUnchanged(tx: Tx, readRow: ScheduledRow, change: Partial<ScheduledRow>): Promise<boolean> {
  const lockedRow = await lockScheduled(tx, readRow.id)
  if (!lockedRow || lockedRow.issuedAt || lockedRow.cancelledAt || !isSame(lockedRow, readRow)) return false
  await updateScheduled(tx, readRow.id, change)
  return true
}

function isSame(one: ScheduledRow, other: ScheduledRow): boolean {
  const encode = ({ issueAt, asset, priority, anomalyType, regime, summary, confidence, createdBy }: ScheduledRow) =>
    JSON.stringify([issueAt, asset, priority, anomalyType, regime, summary, confidence, createdBy])
  return encode(one) === encode(other)
}
