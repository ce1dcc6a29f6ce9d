import { and, asc, eq, gt, isNull, max } from 'drizzle-orm'
import { operator } from './audit-log.ts'
import type { Context } from './context.ts'
import { auditEntries } from './db/schema.ts'

const ENTRIES_AT_ONCE = 100
const isOperators = and(isNull(auditEntries.actorId), eq(auditEntries.requestId, operator.requestId))

/**
 * Writes what operators change with commands to the log, from now on: commands print to a terminal, and the log of the
 * server is what is kept and watched. Every instance writes it. Returns what stops it and waits for a read that runs.
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
      // The next entry, or the next lost connection, asks again.
      .catch((error: unknown) => logger.warn({ err: error }, 'changes by commands could not be read'))
      .finally(() => {
        reading = null
      })
  })
  return async () => {
    stop()
    await reading
  }
}
