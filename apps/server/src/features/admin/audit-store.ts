import type { AuditAction } from '@tocsin/protocol'
import { and, desc, eq, lt, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Queryable } from '../../db/database.ts'
import { accounts, auditEntries } from '../../db/schema.ts'

export interface AuditSelection {
  actorId?: string | undefined
  action?: AuditAction | undefined
}

export type AuditRow = Awaited<ReturnType<typeof listAudit>>[number]

/** Null where the subject is none of an account or alert. */
const subjectAsId = sql`case when ${auditEntries.subject} ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then ${auditEntries.subject}::uuid end`

/** Newest first, with the names of those accounts that are still there. */
export function listAudit(
  tx: Queryable,
  { actorId, action }: AuditSelection,
  page: { beforeId?: number | undefined; limit: number },
) {
  const actors = alias(accounts, 'actors')
  const subjects = alias(accounts, 'subjects')
  return tx
    .select({ entry: auditEntries, actorName: actors.name, subjectName: subjects.name })
    .from(auditEntries)
    .leftJoin(actors, eq(actors.id, auditEntries.actorId))
    .leftJoin(subjects, eq(subjects.id, subjectAsId))
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
