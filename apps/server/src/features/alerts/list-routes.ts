import { type endpoints, type ListedAlert, totalOf } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { type Handler, signedIn } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { presentAlert, presentPublicAlert } from './present.ts'
import { markAllRead as markAll, notifyOtherDevices, unmarkAllRead as unmarkAll } from './read-state.ts'
import { countUnread, findNewestIndex, listRead, type Reader } from './read-store.ts'
import { findReader } from './reader.ts'
import * as search from './search-store.ts'
import { listAlertsAt } from './store.ts'

type Endpoints = typeof endpoints

export const searchAlerts: Handler<Endpoints['searchAlerts']> = async (ctx, input) => {
  const { cursor, limit, ...selection } = input.query
  const [reader, wanted] = await Promise.all([
    findReader(ctx, signedIn(input)),
    search.prepareSearch(ctx.db, signedIn(input).accountId, selection),
  ])
  const beforeIndex = cursor === undefined ? undefined : Number(cursor)
  // Read before the list: an alert issued in between is in the list and above this index, so it is
  // never missed.
  const lastIndex = await findNewestIndex(ctx.db, reader)
  const [indexes, byPriority] = await Promise.all([
    // One row more than shown tells whether there is another page.
    search.listSelected(ctx.db, reader, wanted, { beforeIndex, limit: limit + 1 }),
    search.countByPriority(ctx.db, reader, wanted),
  ])
  const shown = indexes.slice(0, limit)
  return {
    items: await loadItems(ctx, reader, shown),
    next: indexes.length > limit ? String(shown.at(-1)) : null,
    total: totalOf(byPriority, selection.priority),
    byPriority,
    lastIndex,
  }
}

async function loadItems(ctx: Context, reader: Reader, indexes: number[]): Promise<ListedAlert[]> {
  if (indexes.length === 0) return []
  const found = await listAlertsAt(ctx.db, reader, indexes)
  const ids = [...found.values()].map(({ id }) => id)
  const read = await listRead(ctx.db, reader, ids)
  return indexes.flatMap((index) => {
    const stored = found.get(index)
    if (!stored) return []
    const alert = reader.subscribed ? presentAlert(stored) : presentPublicAlert(stored, reader.publicAt)
    return [{ id: alert.id, alert, isRead: !('locked' in alert) && read.has(stored.id) }]
  })
}

export const alertFacets: Handler<Endpoints['alertFacets']> = async (ctx, input) => {
  return search.listFacets(ctx.db, await findReader(ctx, signedIn(input)))
}

export const unreadAlerts: Handler<Endpoints['unreadAlerts']> = async (ctx, input) => {
  const reader = await findReader(ctx, signedIn(input))
  // In this order: an alert issued in between is counted, and a page that counts it again is
  // corrected by its next request.
  const lastIndex = await findNewestIndex(ctx.db, reader)
  return { ...(await countUnread(ctx.db, reader, lastIndex ?? undefined)), lastIndex }
}

export const markAllRead: Handler<Endpoints['markAllRead']> = async (ctx, input) => {
  const reader = signedIn(input)
  const marked = await markAll(ctx, await findReader(ctx, reader), input.body.upTo)
  if (marked.id !== null) await notifyOtherDevices(ctx, reader)
  return marked
}

export const unmarkAllRead: Handler<Endpoints['unmarkAllRead']> = async (ctx, input) => {
  const { id } = input.params
  const reader = signedIn(input)
  const isThere = isUuid(id) && (await unmarkAll(ctx, reader.accountId, id))
  if (!isThere) throw new Refusal('not_found', 'There is nothing to undo')
  await notifyOtherDevices(ctx, reader)
  return { success: true, message: 'Undone' }
}
