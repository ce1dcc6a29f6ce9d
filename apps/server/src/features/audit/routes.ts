import type { Readable } from 'node:stream'
import type { AuditEntry, endpoints } from '@tocsin/protocol'
import { getAuditActor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import type { CsvField } from '../../http/csv.ts'
import { streamCsv } from '../../http/csv-stream.ts'
import { createPage, parseCursor } from '../../http/cursor.ts'
import { readPages } from '../../http/read-pages.ts'
import type { Handler, Input } from '../../http/route.ts'
import { isUuid } from '../../uuid.ts'
import { type AuditRow, type AuditSelection, listAudit as loadAudit } from './store.ts'

type Endpoints = typeof endpoints

export const listAudit: Handler<Endpoints['listAudit']> = async (ctx, { query }) => {
  const { cursor, limit } = query
  const selection = toSelection(query)
  const page = { beforeId: parseCursor(cursor), limit: limit + 1 }
  const rows = selection ? await loadAudit(ctx.db, selection, page) : []
  const { items, nextCursor } = createPage(rows, limit, ({ entry }) => String(entry.id))
  return { items: items.map(presentEntry), nextCursor }
}

const COLUMNS = ['id', 'at', 'actor_id', 'actor', 'action', 'subject', 'subject_name', 'reason', 'detail', 'request_id']

/**
 * Streams all matching entries. Writes the audit entry before the first row, because a client may
 * disconnect before the last one.
 */
export async function exportAudit(ctx: Context, input: Input<Endpoints['exportAudit']>): Promise<Readable> {
  const by = getAuditActor(input)
  await recordAudit(ctx.db, { ...by, action: 'audit_exported', subject: null, at: ctx.clock.now() })
  input.reply.header('content-disposition', 'attachment; filename="tocsin-audit.csv"')
  return streamCsv(COLUMNS, listPages(ctx, toSelection(input.query)))
}

async function* listPages(ctx: Context, selection: AuditSelection | null): AsyncGenerator<CsvField[][]> {
  if (selection === null) return
  const pages = readPages<AuditRow>((last, limit) => loadAudit(ctx.db, selection, { beforeId: last?.entry.id, limit }))
  for await (const rows of pages) yield rows.map((row) => toLine(presentEntry(row)))
}

/** Returns null if `actor` is not a UUID. No entry can match it, so the result is empty. */
function toSelection({
  actor,
  action,
}: {
  actor?: string | undefined
  action?: AuditSelection['action']
}): AuditSelection | null {
  return actor !== undefined && !isUuid(actor) ? null : { actorId: actor, action }
}

function toLine(entry: AuditEntry): CsvField[] {
  const { id, at, actor, action, subject, subjectName, reason, detail, requestId } = entry
  return [
    id,
    at,
    actor?.id ?? null,
    actor?.name ?? null,
    action,
    subject,
    subjectName,
    reason,
    JSON.stringify(detail),
    requestId,
  ]
}

function presentEntry({ entry, actorName, subjectName, alert, receiverId, receiverName }: AuditRow): AuditEntry {
  return {
    id: String(entry.id),
    at: entry.at.toISOString(),
    actor: entry.actorId === null ? null : { id: entry.actorId, name: actorName },
    action: entry.action,
    subject: entry.subject,
    subjectName,
    alert,
    receiver: receiverId === null ? null : { id: receiverId, name: receiverName },
    reason: entry.reason,
    detail: entry.detail,
    requestId: entry.requestId,
  }
}
