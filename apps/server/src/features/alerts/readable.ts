import { isNotNull, lte, or, type SQL } from 'drizzle-orm'
import { alerts } from '../../db/schema.ts'

/** `subscribed`: also reads what was sent out and is not public yet. */
export interface Readers {
  publicAt: Date
  subscribed: boolean
}

/** `all` is for admins, who read drafts too. */
export type Sight = 'all' | Readers

/** What the reader may read in full: the one condition of every list, search, count, export and lookup by id. */
export function isReadable(sight: Sight): SQL | undefined {
  if (sight === 'all') return undefined
  const isPublic = lte(alerts.createdAt, sight.publicAt)
  return sight.subscribed ? or(isNotNull(alerts.broadcastAt), isPublic) : isPublic
}

/** What the reader may know of: that, and of fresh alerts that were sent out that they exist. */
export function isShown({ publicAt }: Readers): SQL | undefined {
  return or(isNotNull(alerts.broadcastAt), lte(alerts.createdAt, publicAt))
}
