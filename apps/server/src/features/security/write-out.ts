import { DAY_MS, HOUR_MS, SECOND_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { pauseUntilDue, selectDueIf } from '../../db/leader.ts'
import { createOutageLog } from '../../outage-log.ts'
import { pause } from '../../pause.ts'
import * as store from './store.ts'
import { formatSyslog } from './syslog-message.ts'
import { createSyslogSender, type SyslogSender } from './syslog-sender.ts'

const BATCH = 200
const RETRY_MS = 2 * SECOND_MS
/**
 * Maximum number of waiting messages for the receiver. During a long outage, older ones are
 * dropped.
 */
const MAX_WAITING = 100_000
/** Maximum number of rows per statement, so that it ends long before the statement timeout. */
const MAX_DELETED = 5_000

/** Messages that this instance dropped because the syslog receiver was unreachable for too long. */
export const syslogDrops = { total: 0 }

/**
 * Writes security events to the diagnostic log and sends them to the syslog receiver, until the
 * signal aborts. Only one instance runs this. An event is removed from the outbox after it was
 * sent, so some events are sent again after a crash. A receiver that does not respond delays
 * nothing else.
 */
export async function forwardSecurityEvents(ctx: Context, signal: AbortSignal): Promise<void> {
  const target = ctx.config.securityLog.syslog
  const sender = target && createSyslogSender(target)
  try {
    await Promise.all([
      repeatWriting(ctx, signal, 'line', () => writeLines(ctx)),
      repeatWriting(ctx, signal, 'syslog', () => (sender ? sendBatch(ctx, sender) : skipSyslog(ctx))),
      pruneRepeatedly(ctx, signal),
    ])
  } finally {
    sender?.close()
  }
}

/**
 * Calls `writeOut` until the signal aborts: immediately after `more`, after RETRY_MS if it failed,
 * and after `done` when the next event is due.
 */
async function repeatWriting(
  ctx: Context,
  signal: AbortSignal,
  target: store.OutboxTarget,
  writeOut: () => Promise<BatchResult>,
): Promise<void> {
  const failures = createOutageLog({
    begins: 'security events cannot be written out',
    ends: 'security events can be written out again',
  })
  while (!signal.aborted) {
    const outcome = await writeOut().catch((error: unknown): BatchResult => {
      failures.recordFailure(ctx, error, { target })
      return 'failed'
    })
    if (outcome === 'failed') await pause(RETRY_MS, signal)
    else failures.recordSuccess(ctx, { target })
    if (outcome === 'done') await pauseUntilDue(ctx.notifications, () => selectDueIf(store.isOutgoing(target)), signal)
  }
}

type BatchResult = 'more' | 'done' | 'failed'

async function writeLines(ctx: Context): Promise<BatchResult> {
  const rows = await store.listOutgoing(ctx.db, 'line', BATCH)
  for (const { event, account, subject } of rows) {
    const { id, category, kind, network, detail, requestId } = event
    const level = category === 'alarm' ? 'error' : 'info'
    ctx.logger[level](
      { event: kind, category, id, accountId: account?.id, subjectId: subject?.id, network, detail, reqId: requestId },
      'security event',
    )
  }
  return finishBatch(ctx, 'line', rows)
}

async function skipSyslog(ctx: Context): Promise<BatchResult> {
  return finishBatch(ctx, 'syslog', await store.listOutgoing(ctx.db, 'syslog', BATCH))
}

async function sendBatch(ctx: Context, sender: SyslogSender): Promise<BatchResult> {
  const rows = await store.listOutgoing(ctx.db, 'syslog', BATCH)
  if (rows.length === 0) return 'done'
  try {
    await sender.send(rows.map((row) => formatSyslog(row)))
  } catch (error) {
    const droppedCount = await store.dropOutgoing(ctx.db, 'syslog', MAX_WAITING)
    syslogDrops.total += droppedCount
    outage.recordFailure(ctx, error, { dropped: droppedCount })
    return 'failed'
  }
  outage.recordSuccess(ctx, { droppedSinceStart: syslogDrops.total })
  return finishBatch(ctx, 'syslog', rows)
}

const outage = createOutageLog({
  begins: 'the syslog receiver does not accept messages',
  ends: 'the syslog receiver accepts messages again',
})

async function finishBatch(
  ctx: Context,
  target: store.OutboxTarget,
  rows: readonly store.EventRow[],
): Promise<BatchResult> {
  if (rows.length > 0) {
    const ids = rows.map(({ event }) => event.id)
    await store.deleteOutgoing(ctx.db, target, ids)
  }
  return rows.length === BATCH ? 'more' : 'done'
}

async function pruneRepeatedly(ctx: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await deleteOldEntries(ctx, signal).catch((error: unknown) =>
      ctx.logger.error({ err: error }, 'deleting old security events and audit entries failed'),
    )
    await pause(HOUR_MS, signal)
  }
}

/**
 * Deletes security events and audit entries that are older than the settings allow, until the
 * signal aborts. Audit entries are deleted even if the deletion of events fails.
 */
export async function deleteOldEntries({ db, clock, config }: Context, signal: AbortSignal): Promise<void> {
  const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS)
  const { securityLog, auditLogDays } = config
  try {
    const before = daysAgo(securityLog.keptDays)
    await deleteInBatches(signal, () => store.deleteEventsBefore(db, before, MAX_DELETED))
  } finally {
    if (auditLogDays !== null) {
      const before = daysAgo(auditLogDays)
      await deleteInBatches(signal, () => store.deleteAuditEntriesBefore(db, before, MAX_DELETED))
    }
  }
}

/** @param deleteBatch returns how many rows it has deleted */
async function deleteInBatches(signal: AbortSignal, deleteBatch: () => Promise<number>): Promise<void> {
  let deletedCount = MAX_DELETED
  while (deletedCount === MAX_DELETED && !signal.aborted) deletedCount = await deleteBatch()
}
