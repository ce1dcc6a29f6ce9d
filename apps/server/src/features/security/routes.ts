import type { Readable } from 'node:stream'
import type { endpoints, OwnSecurityEvent, SecurityEvent } from '@tocsin/protocol'
import { getAuditActor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import { STALL_MS, streamChunks } from '../../http/chunk-stream.ts'
import { parseCursor } from '../../http/cursor.ts'
import { type Handler, type Input, requireActor } from '../../http/route.ts'
import { type EventRow, listEvents, listEventsOf } from './store.ts'

type Endpoints = typeof endpoints
type OwnEventRow = EventRow['event']

const EXPORT_PAGE = 1_000
/** Maximum number of events in the export of an account, because it is held in memory. */
const MAX_EXPORTED_EVENTS = 100_000

export const listOwnSecurityEvents: Handler<Endpoints['listOwnSecurityEvents']> = async (ctx, input) => {
  const { cursor, limit } = input.query
  const rows = await listEventsOf(ctx.db, requireActor(input).accountId, { beforeId: parseCursor(cursor), limit })
  const last = rows.length === limit ? rows.at(-1) : undefined
  return { items: rows.map(presentOwn), nextCursor: last ? String(last.id) : null }
}

export async function exportOwnSecurityEvents(
  ctx: Context,
  input: Input<Endpoints['exportOwnSecurityEvents']>,
): Promise<Readable> {
  const { accountId } = requireActor(input)
  input.reply.header('content-disposition', 'attachment; filename="tocsin-security-log.jsonl"')
  return streamLines(
    (beforeId) => listEventsOf(ctx.db, accountId, { beforeId, limit: EXPORT_PAGE }),
    (row) => row.id,
    presentOwn,
  )
}

/** Returns the security events of an account for the account export. */
export async function exportSecurityEventsOf({ db }: Context, accountId: string): Promise<Record<string, unknown>[]> {
  return (await listEventsOf(db, accountId, { limit: MAX_EXPORTED_EVENTS })).map(presentOwn)
}

export const listSecurityEvents: Handler<Endpoints['listSecurityEvents']> = async (ctx, { query }) => {
  const { cursor, limit, ...selection } = query
  const rows = await listEvents(ctx.db, selection, { beforeId: parseCursor(cursor), limit })
  const last = rows.length === limit ? rows.at(-1) : undefined
  return { items: rows.map(presentEvent), nextCursor: last ? String(last.event.id) : null }
}

/**
 * Streams all matching events. The export is audited before the first event is sent, because a
 * client may disconnect before the last one.
 */
export async function exportSecurityEvents(
  ctx: Context,
  input: Input<Endpoints['exportSecurityEvents']>,
): Promise<Readable> {
  const by = getAuditActor(input)
  await recordAudit(ctx.db, { ...by, action: 'security_log_exported', subject: null, at: ctx.clock.now() })
  input.reply.header('content-disposition', 'attachment; filename="tocsin-security-log.jsonl"')
  return streamLines(
    (beforeId) => listEvents(ctx.db, input.query, { beforeId, limit: EXPORT_PAGE }),
    ({ event }) => event.id,
    presentEvent,
  )
}

/** Streams one JSON object on each line, newest first. */
function streamLines<Row>(
  load: (beforeId: number | undefined) => Promise<Row[]>,
  getId: (row: Row) => number,
  present: (row: Row) => object,
): Readable {
  async function* pages() {
    let beforeId: number | undefined
    for (let isMore = true; isMore; ) {
      const rows = await load(beforeId)
      if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(present(row))}\n`).join('')
      const last = rows.at(-1)
      beforeId = last && getId(last)
      isMore = rows.length === EXPORT_PAGE
    }
  }
  return streamChunks(pages(), STALL_MS, () => {})
}

function presentOwn({ id, at, category, kind, network, detail }: OwnEventRow): OwnSecurityEvent {
  return { id: String(id), at: at.toISOString(), category, kind, network, detail }
}

function presentEvent({ event, account, subject }: EventRow): SecurityEvent {
  return { ...presentOwn(event), account, subject, requestId: event.requestId }
}
