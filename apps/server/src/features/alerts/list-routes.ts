import { alertSearch, endpoints, sumSelected } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { createPage } from '../../http/cursor.ts'
import { createEncoder } from '../../http/encoded-route.ts'
import { type Handler, type Input, requireActor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { encodeAlerts } from './encoded-alerts.ts'
import { markAllRead as markAll, notifyOtherDevices, unmarkAllRead as unmarkAll } from './read-state.ts'
import { countUnread, findNewestIndex } from './read-store.ts'
import { findReader } from './reader.ts'
import * as search from './search-store.ts'

type Endpoints = typeof endpoints

/** Encodes the response without its alerts, which are encoded one by one. */
const encodeListFields = createEncoder(endpoints.searchAlerts, alertSearch.omit({ items: true }))

export async function searchAlerts(ctx: Context, input: Input<Endpoints['searchAlerts']>): Promise<string> {
  const { cursor, limit, ...selection } = input.query
  const [reader, preparedSearch] = await Promise.all([
    findReader(ctx, requireActor(input)),
    search.prepareSearch(ctx.db, requireActor(input).accountId, selection),
  ])
  const beforeIndex = cursor === undefined ? undefined : Number(cursor)
  const page = { beforeIndex, limit: limit + 1 }
  const { rows, lastIndex, byPriority } = await search.findPage(ctx.db, reader, preparedSearch, page)
  const { items: shownRows, nextCursor } = createPage(rows, limit, ({ logIndex }) => String(logIndex))
  const alerts = await encodeAlerts(ctx, reader, shownRows)
  const items = alerts.map(({ id, isLocked, json }, index) => {
    const isRead = !isLocked && shownRows[index]?.isRead === true
    return `{"id":${JSON.stringify(id)},"alert":${json},"isRead":${isRead}}`
  })
  const listFields = { next: nextCursor, total: sumSelected(byPriority, selection.priority), byPriority, lastIndex }
  return `{"items":[${items.join(',')}],${encodeListFields(listFields).slice(1)}`
}

export const alertFacets: Handler<Endpoints['alertFacets']> = async (ctx, input) => {
  return search.listFacets(ctx.db, await findReader(ctx, requireActor(input)))
}

export const unreadAlerts: Handler<Endpoints['unreadAlerts']> = async (ctx, input) => {
  const reader = await findReader(ctx, requireActor(input))
  // The newest index is read first and limits the count, because the web app itself adds the alerts
  // above that index to the count. If there is no index yet, an alert that is issued between the
  // two queries can be counted twice until the next request.
  const lastIndex = await findNewestIndex(ctx.db, reader)
  return { ...(await countUnread(ctx.db, reader, lastIndex ?? undefined)), lastIndex }
}

export const markAllRead: Handler<Endpoints['markAllRead']> = async (ctx, input) => {
  const reader = requireActor(input)
  const marked = await markAll(ctx, await findReader(ctx, reader), input.body.upTo)
  if (marked.id !== null) await notifyOtherDevices(ctx, reader)
  return marked
}

export const unmarkAllRead: Handler<Endpoints['unmarkAllRead']> = async (ctx, input) => {
  const { id } = input.params
  const reader = requireActor(input)
  const isThere = isUuid(id) && (await unmarkAll(ctx, reader.accountId, id))
  if (!isThere) throw new Refusal('not_found', 'There is nothing to undo')
  await notifyOtherDevices(ctx, reader)
  return { success: true, message: 'Undone' }
}
