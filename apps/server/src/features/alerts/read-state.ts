import type { LimitedCount } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import * as store from './read-store.ts'

/** Time during which each "mark all" can be undone separately. */
const UNDO_WINDOW_MS = HOUR_MS

/**
 * Marks all alerts that the reader may read in full now, up to a log index, as read. Alerts that
 * are broadcast later stay unread, whatever their index. The returned `id` can undo the mark.
 */
export async function markAllRead(
  ctx: Context,
  reader: store.AlertReader,
  upTo: number,
): Promise<{ id: string | null; marked: LimitedCount }> {
  const { accountId } = reader
  const at = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    // The mark ends at the newest alert that is readable now: locked alerts must count as unread
    // when they become readable.
    const newestIndex = await store.findNewestIndex(tx, reader, upTo)
    const marked = newestIndex === null ? store.limitCount(0) : await store.countUnread(tx, reader, newestIndex)
    if (newestIndex === null || marked.count === 0) return { id: null, marked }
    await store.deleteCoveredMarks(tx, accountId, new Date(at.getTime() - UNDO_WINDOW_MS))
    return { id: await store.insertMark(tx, accountId, newestIndex, at), marked }
  })
}

/** Notifies the account's other sessions. */
export function notifyOtherDevices(ctx: Context, at: { accountId: string; sessionId: string }): Promise<void> {
  return ctx.notifications.notify(ctx.db, 'reads', `${at.accountId}/${at.sessionId}`)
}

/** Deletes a mark. @returns true if the account had this mark */
export function unmarkAllRead(ctx: Context, accountId: string, id: string): Promise<boolean> {
  return store.deleteMark(ctx.db, accountId, id)
}

/** Returns the stored read marks, for the account's data export. */
export async function exportReadMarks(ctx: Context, accountId: string): Promise<Record<string, unknown>[]> {
  return store.listMarks(ctx.db, accountId)
}
