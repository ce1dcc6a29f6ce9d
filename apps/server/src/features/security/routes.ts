import type { endpoints, OwnSecurityEvent, SecurityEvent } from '@tocsin/protocol'
import { getAuditActor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import { parseCursor } from '../../http/cursor.ts'
import { type Handler, signedIn } from '../../http/route.ts'
import { type EventRow, listEvents, listEventsOf } from './store.ts'

type Endpoints = typeof endpoints
type OwnRow = EventRow['event']

const EXPORT_PAGE = 1_000
/**
 * Maximum number of events in an export, because the export is held in memory. Older events can be
 * exported with a narrower search.
 */
const MAX_EXPORTED = 100_000

export const listOwnSecurityEvents: Handler<Endpoints['listOwnSecurityEvents']> = async (ctx, input) => {
  const { cursor, limit } = input.query
  const rows = await listEventsOf(ctx.db, signedIn(input).accountId, { beforeId: parseCursor(cursor), limit })
  const last = rows.length === limit ? rows.at(-1) : undefined
  return { items: rows.map(presentOwn), nextCursor: last ? String(last.id) : null }
}

export const exportOwnSecurityEvents: Handler<Endpoints['exportOwnSecurityEvents']> = async (ctx, input) => {
  const { accountId } = signedIn(input)
  const lines = await collect(
    (beforeId) => listEventsOf(ctx.db, accountId, { beforeId, limit: EXPORT_PAGE }),
    (row) => row.id,
    presentOwn,
  )
  input.reply.header('content-disposition', 'attachment; filename="tocsin-security-log.jsonl"')
  return lines.text
}

/** Returns the security events of an account for the account export. */
export async function exportSecurityEventsOf({ db }: Context, accountId: string): Promise<Record<string, unknown>[]> {
  return (await listEventsOf(db, accountId, { limit: MAX_EXPORTED })).map(presentOwn)
}

export const listSecurityEvents: Handler<Endpoints['listSecurityEvents']> = async (ctx, { query }) => {
  const { cursor, limit, ...selection } = query
  const rows = await listEvents(ctx.db, selection, { beforeId: parseCursor(cursor), limit })
  const last = rows.length === limit ? rows.at(-1) : undefined
  return { items: rows.map(presentEvent), nextCursor: last ? String(last.event.id) : null }
}

export const exportSecurityEvents: Handler<Endpoints['exportSecurityEvents']> = async (ctx, input) => {
  const lines = await collect(
    (beforeId) => listEvents(ctx.db, input.query, { beforeId, limit: EXPORT_PAGE }),
    ({ event }) => event.id,
    presentEvent,
  )
  await recordAudit(ctx.db, {
    ...getAuditActor(input),
    action: 'security_log_exported',
    subject: null,
    detail: { rows: lines.count },
    at: ctx.clock.now(),
  })
  input.reply.header('content-disposition', 'attachment; filename="tocsin-security-log.jsonl"')
  return lines.text
}

/** Returns one JSON object on each line, newest first. */
async function collect<Row>(
  load: (beforeId: number | undefined) => Promise<Row[]>,
  idOf: (row: Row) => number,
  present: (row: Row) => object,
): Promise<{ text: string; count: number }> {
  const lines: string[] = []
  let beforeId: number | undefined
  while (lines.length < MAX_EXPORTED) {
    const rows = await load(beforeId)
    for (const row of rows) lines.push(`${JSON.stringify(present(row))}\n`)
    const last = rows.at(-1)
    if (!last || rows.length < EXPORT_PAGE) break
    beforeId = idOf(last)
  }
  return { text: lines.join(''), count: lines.length }
}

function presentOwn({ id, at, category, kind, network, detail }: OwnRow): OwnSecurityEvent {
  return { id: String(id), at: at.toISOString(), category, kind, network, detail }
}

function presentEvent({ event, account, subject }: EventRow): SecurityEvent {
  return { ...presentOwn(event), account, subject, requestId: event.requestId }
}
