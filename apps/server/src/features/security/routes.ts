import type { Readable } from 'node:stream'
import type { endpoints, OwnSecurityEvent, SecurityEvent } from '@tocsin/protocol'
import { getAuditActor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import { STALL_MS, streamChunks } from '../../http/chunk-stream.ts'
import { createPage, parseCursor } from '../../http/cursor.ts'
import { readPages } from '../../http/read-pages.ts'
import { type Handler, type Input, requireActor } from '../../http/route.ts'
import { type EventRow, listEvents, listEventsOf } from './store.ts'

type Endpoints = typeof endpoints
type OwnEventRow = EventRow['event']

/** Maximum number of events in the export of an account, because it is held in memory. */
const MAX_EXPORTED_EVENTS = 100_000

export const listOwnSecurityEvents: Handler<Endpoints['listOwnSecurityEvents']> = async (ctx, input) => {
  const { cursor, limit } = input.query
  const page = { beforeId: parseCursor(cursor), limit: limit + 1 }
  const rows = await listEventsOf(ctx.db, requireActor(input).accountId, page)
  const { items, nextCursor } = createPage(rows, limit, ({ id }) => String(id))
  return { items: items.map(presentOwn), nextCursor }
}

export async function exportOwnSecurityEvents(
  ctx: Context,
  input: Input<Endpoints['exportOwnSecurityEvents']>,
): Promise<Readable> {
  const { accountId } = requireActor(input)
  input.reply.header('content-disposition', 'attachment; filename="tocsin-security-log.jsonl"')
  return streamLines(
    readPages<OwnEventRow>((last, limit) => listEventsOf(ctx.db, accountId, { beforeId: last?.id, limit })),
    presentOwn,
  )
}

/** Returns the security events of an account for the account export. */
export async function exportSecurityEventsOf({ db }: Context, accountId: string): Promise<Record<string, unknown>[]> {
  return (await listEventsOf(db, accountId, { limit: MAX_EXPORTED_EVENTS })).map(presentOwn)
}

export const listSecurityEvents: Handler<Endpoints['listSecurityEvents']> = async (ctx, { query }) => {
  const { cursor, limit, ...selection } = query
  const rows = await listEvents(ctx.db, selection, { beforeId: parseCursor(cursor), limit: limit + 1 })
  const { items, nextCursor } = createPage(rows, limit, ({ event }) => String(event.id))
  return { items: items.map(presentEvent), nextCursor }
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
    readPages<EventRow>((last, limit) => listEvents(ctx.db, input.query, { beforeId: last?.event.id, limit })),
    presentEvent,
  )
}

/** Streams one JSON object on each line, newest first. */
function streamLines<Row>(pages: AsyncGenerator<Row[]>, present: (row: Row) => object): Readable {
  async function* formatPages() {
    for await (const rows of pages) yield rows.map((row) => `${JSON.stringify(present(row))}\n`).join('')
  }
  return streamChunks(formatPages(), STALL_MS, () => {})
}

function presentOwn({ id, at, category, kind, network, detail }: OwnEventRow): OwnSecurityEvent {
  return { id: String(id), at: at.toISOString(), category, kind, network, detail }
}

function presentEvent({ event, account, subject }: EventRow): SecurityEvent {
  return { ...presentOwn(event), account, subject, requestId: event.requestId }
}
