import { and, asc, eq, gt, isNull, max } from 'drizzle-orm'
import { operator } from './audit-log.ts'
import type { Context } from './context.ts'
import { auditEntries } from './db/schema/audit.ts'

const ENTRIES_AT_ONCE = 100
const isOperators = and(isNull(auditEntries.actorId), eq(auditEntries.requestId, operator.requestId))

/**
 * Logs changes that operators make with commands, because commands print to a terminal only and the
 * server's log is monitored. Every instance logs them. Returns a function that stops it and waits
 * for a running read.
 */
export async function logOperatorChanges({ db, wake, logger }: Context): Promise<() => Promise<void>> {
  const [newest] = await db
    .select({ id: max(auditEntries.id) })
    .from(auditEntries)
    .where(isOperators)
  let lastId = newest?.id ?? 0
  let reading: Promise<void> | null = null
  let isAsked = false

  const read = async () => {
    while (isAsked) {
      isAsked = false
      const isNew = and(isOperators, gt(auditEntries.id, lastId))
      const rows = await db
        .select()
        .from(auditEntries)
        .where(isNew)
        .orderBy(asc(auditEntries.id))
        .limit(ENTRIES_AT_ONCE)
      for (const { id, action, subject } of rows) {
        logger.info({ event: 'changed', by: operator.requestId, action, subject }, 'security event')
        lastId = id
      }
      if (rows.length === ENTRIES_AT_ONCE) isAsked = true
    }
  }
  const stop = wake.on('admin', (area) => {
    if (area !== 'audit' && area !== '') return
    isAsked = true
    reading ??= read()
      // The next entry or reconnect triggers another read.
      .catch((error: unknown) => logger.warn({ err: error }, 'reading operator changes failed'))
      .finally(() => {
        reading = null
      })
  })
  return async () => {
    stop()
    await reading
  }
}
