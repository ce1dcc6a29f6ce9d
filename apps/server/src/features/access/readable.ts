import { isNotNull, lte, or, type SQL } from 'drizzle-orm'
import { alerts } from '../../db/schema/alerts.ts'

/**
 * Rights of a reader. If `subscribed`, broadcast alerts that are not public yet are readable too.
 */
export interface Readers {
  publicAt: Date
  subscribed: boolean
}

/** `all` is for admins, who may also read drafts. */
export type Sight = 'all' | Readers

/**
 * Matches the rows that the reader may read in full. This is the only such condition: every list,
 * search, count, export and lookup by id uses it.
 */
export function readableCondition(sight: Sight): SQL | undefined {
  if (sight === 'all') return undefined
  const isPublic = lte(alerts.createdAt, sight.publicAt)
  return sight.subscribed ? or(isNotNull(alerts.broadcastAt), isPublic) : isPublic
}

/**
 * Matches the rows whose existence the reader may know of: readable rows and all broadcast rows.
 */
export function visibleCondition({ publicAt }: Readers): SQL | undefined {
  return or(isNotNull(alerts.broadcastAt), lte(alerts.createdAt, publicAt))
}
