import type { Readable } from 'node:stream'
import type { RecordSummary } from '@tocsin/proof'
import type { endpoints, ResponseOf } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { createPage } from '../../http/cursor.ts'
import type { Handler, Input } from '../../http/route.ts'
import { computePublicCutoff } from '../../public-delay.ts'
import { Refusal } from '../../refusal.ts'
import { findReadable } from '../access/read-access.ts'
import { findFirstEntryTime } from '../tlog/store.ts'
import { presentRecord, presentRecordAlert } from './present.ts'
import { streamRecordCsv } from './record-csv.ts'
import { createSelectedReader } from './selected-alerts.ts'
import * as store from './store.ts'
import type { TrackRecords } from './track-record.ts'

type Endpoints = typeof endpoints

/**
 * Maximum total length of the messages in a response, in UTF-16 code units. Verifiers read at most
 * 16 MiB, and each code unit takes at most three bytes in the response.
 */
const MAX_CHARACTERS = 4 * 2 ** 20

/** Cached for a short time only, because a successor log may replace the log at this address. */
const MESSAGE_CACHE = 'public, max-age=60'

export const logMessages: Handler<Endpoints['logMessages']> = async (ctx, { query: { from, limit }, actor }) => {
  const readable = await findReadable(ctx, actor)
  const foundMessages = await store.listMessages(ctx.db, readable, from, limit)
  const messages = limitMessages(MAX_CHARACTERS, foundMessages)
  const lastMessage = messages.at(-1)
  const isMore = messages.length === limit || messages.length < foundMessages.length
  return { messages, next: lastMessage && isMore ? lastMessage.index + 1 : null }
}

/** Returns the first messages that stay within the limit, but at least one. */
function limitMessages(maxCharacters: number, messages: readonly store.NamedMessage[]): store.NamedMessage[] {
  let total = 0
  return messages.filter(({ message }, index) => {
    total += message.length
    return index === 0 || total <= maxCharacters
  })
}

/**
 * GET /api/log/messages/:hash. The response is the same for messages that the caller may not read
 * and for unknown hashes. Otherwise a caller could check a guessed message.
 */
export const logMessage: Handler<Endpoints['logMessage']> = async (ctx, { params: { hash }, actor, reply }) => {
  const message = await store.findMessage(ctx.db, await findReadable(ctx, actor), hash)
  if (message === null) throw new Refusal('not_found', 'Message not found, or you do not have access to it')
  if (actor === null) reply.header('cache-control', MESSAGE_CACHE)
  return message
}

/**
 * Returns candles only of markets and days that public alerts predict. Other candles would reveal
 * what a recent alert predicts.
 */
export const logCandles: Handler<Endpoints['logCandles']> = async (ctx, { params }) => {
  const publicCutoff = computePublicCutoff(ctx.clock.now(), ctx.config.publicDelayHours)
  const isPublic = await store.isPredicted(ctx.db, params, publicCutoff)
  const candles = isPublic ? await store.findCandles(ctx.db, params) : null
  if (!candles) throw new Refusal('not_found', 'No public alert has candles for this market and day')
  return { candles: candles.map((candle) => [...candle]) }
}

export async function trackRecord(ctx: Context, input: Input<Endpoints['trackRecord']>, { find }: TrackRecords) {
  const record = await find(ctx, input.query.origin)
  return record ? presentPublicRecord(ctx, record) : { record: null }
}

export async function presentPublicRecord(ctx: Context, record: RecordSummary) {
  return presentRecord(record, await findFirstEntryTime(ctx.db))
}

export async function trackRecordAlerts(
  ctx: Context,
  { query }: Input<Endpoints['trackRecordAlerts']>,
  { find }: TrackRecords,
): ReturnType<Handler<Endpoints['trackRecordAlerts']>> {
  const record = await find(ctx, query.origin)
  return record ? listRecordAlerts(ctx, record, query) : { items: [], next: null }
}

/** Returns a page of the alerts behind a figure, newest first. */
export async function listRecordAlerts(
  ctx: Context,
  record: RecordSummary,
  query: Input<Endpoints['trackRecordAlerts']>['query'],
): Promise<ResponseOf<'trackRecordAlerts'>> {
  const { cursor, limit } = query
  const readAlerts = await createSelectedReader(ctx, record, query)
  const foundAlerts = await readAlerts(cursor === undefined ? record.asOf.size : Number(cursor), limit + 1)
  const { items, nextCursor } = createPage(foundAlerts, limit, ({ alert }) => String(alert.index))
  return { items: items.map(({ alert, controlRate }) => presentRecordAlert(alert, controlRate)), next: nextCursor }
}

/** GET /api/track-record/alerts.csv: streams the alerts of the public record, newest first. */
export async function exportTrackRecord(
  ctx: Context,
  { query, reply }: Input<Endpoints['exportTrackRecord']>,
  { find }: TrackRecords,
): Promise<Readable> {
  const record = await find(ctx, query.origin)
  const day = (record?.asOf.blockAt ?? ctx.clock.now().toISOString()).slice(0, 10)
  reply.header('content-disposition', `attachment; filename="tocsin-track-record-${day}.csv"`)
  return streamRecordCsv(ctx, record, query)
}
