import type { AuditAction } from '@tocsin/protocol'
import { and, desc, eq, lt, type SQLWrapper, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Queryable } from '../../db/database.ts'
import { accounts } from '../../db/schema/accounts.ts'
import { alerts } from '../../db/schema/alerts.ts'
import { auditEntries } from '../../db/schema/audit.ts'

export interface AuditSelection {
  actorId?: string | undefined
  action?: AuditAction | undefined
}

export type AuditRow = Awaited<ReturnType<typeof listAudit>>[number]

/** Converts text to a uuid. Null if the text is not an id, for example the name of a setting. */
const toUuid = (text: SQLWrapper) =>
  sql<string | null>`case when ${text} ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (${text})::uuid end`
const subjectId = toUuid(auditEntries.subject)
const receiverId = toUuid(sql`(${auditEntries.detail} ->> 'accountId')`)

/**
 * Returns audit entries, newest first. Adds the alerts that the entries refer to, and the names of
 * actor, subject and receiver (the account that a payment was credited to).
 */
export function listAudit(
  tx: Queryable,
  { actorId, action }: AuditSelection,
  page: { beforeId?: number | undefined; limit: number },
) {
  const actors = alias(accounts, 'actors')
  const subjects = alias(accounts, 'subjects')
  const receivers = alias(accounts, 'receivers')
  return tx
    .select({
      entry: auditEntries,
      actorName: actors.name,
      subjectName: subjects.name,
      alert: { logIndex: alerts.logIndex, asset: alerts.asset, priority: alerts.priority },
      receiverId,
      receiverName: receivers.name,
    })
    .from(auditEntries)
    .leftJoin(actors, eq(actors.id, auditEntries.actorId))
    .leftJoin(subjects, eq(subjects.id, subjectId))
    .leftJoin(alerts, eq(alerts.id, auditEntries.subject))
    .leftJoin(receivers, eq(receivers.id, receiverId))
    .where(
      and(
        actorId === undefined ? undefined : eq(auditEntries.actorId, actorId),
        action === undefined ? undefined : eq(auditEntries.action, action),
        page.beforeId === undefined ? undefined : lt(auditEntries.id, page.beforeId),
      ),
    )
    .orderBy(desc(auditEntries.id))
    .limit(page.limit)
}
