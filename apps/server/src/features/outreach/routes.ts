import type { endpoints } from '@tocsin/protocol'
import type { Handler } from '../../http/route.ts'
import { isSubscribed } from '../subscriptions/service.ts'
import { isFor } from './announcement.ts'
import * as store from './store.ts'

/**
 * Returns the announcements for the reader. The response does not reveal whether there are
 * announcements for others.
 */
export const findAnnouncements: Handler<(typeof endpoints)['findAnnouncements']> = async (ctx, { actor }) => {
  const now = ctx.clock.now()
  const shownAnnouncements = await store.listShown(ctx.db, now)
  if (shownAnnouncements.length === 0) return []
  const reader = {
    isSignedIn: actor !== null,
    hasPlan: actor !== null && (await isSubscribed(ctx.db, actor.accountId, now)),
    isStaff: actor !== null && actor.permissions.length > 0,
  }
  return shownAnnouncements.filter((one) => isFor(one, reader)).map(({ id, text }) => ({ id, text }))
}
