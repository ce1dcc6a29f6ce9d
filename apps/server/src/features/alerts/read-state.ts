import type { Counted } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import * as store from './read-store.ts'

/** For so long each "mark all" can be taken back by itself. */
const UNDO_MS = 60 * 60_000

/**
 * Everything that the reader may read in full now, up to a log index, counts as read. What is sent out later does not, whatever its index.
 * `id` takes it back.
 */
export async function markAllRead(
  ctx: Context,
  reader: store.Reader,
  upTo: number,
): Promise<{ id: string | null; marked: Counted }> {
  const { accountId } = reader
  const at = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    // Never further than what may be read now: what is still locked is to be news when it opens.
    const newest = await store.findNewestIndex(tx, reader, upTo)
    const marked = newest === null ? store.toCounted(0) : await store.countUnread(tx, reader, newest)
    if (newest === null || marked.count === 0) return { id: null, marked }
    await store.deleteCoveredMarks(tx, accountId, new Date(at.getTime() - UNDO_MS))
    return { id: await store.insertMark(tx, accountId, newest, at), marked }
  })
}

/** The account's pages on other devices show it too. */
export function tellOtherDevices(ctx: Context, at: { accountId: string; sessionId: string }): Promise<void> {
  return ctx.wake.notify(ctx.db, 'reads', `${at.accountId}/${at.sessionId}`)
}

/** @returns whether there was such a mark of this account */
export function unmarkAllRead(ctx: Context, accountId: string, id: string): Promise<boolean> {
  return store.deleteMark(ctx.db, accountId, id)
}

/** What is held of it, for the account's owner. */
export async function exportReadMarks(ctx: Context, accountId: string): Promise<Record<string, unknown>[]> {
  return store.listMarks(ctx.db, accountId)
}
