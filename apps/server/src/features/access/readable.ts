import { type AnyColumn, isNotNull, lte, or, type SQL } from 'drizzle-orm'
import { alerts } from '../../db/schema/alerts.ts'

/**
 * The alerts that one caller may read. If `subscribed`, broadcast alerts that are not public yet
 * are readable too.
 */
export interface ReadAccess {
  /** Alerts created up to this time are public. */
  publicCutoff: Date
  subscribed: boolean
}

/** `all` is for roles with the permission `alerts.read`, which may also read drafts. */
export type Visibility = 'all' | ReadAccess

/**
 * Matches the rows that the reader may read in full. Undefined means all rows. This is the only
 * such condition: every list, search, count, export and lookup by id uses it.
 * @param columns of `alerts`, or of an alias
 */
export function createReadableCondition(
  visibility: Visibility,
  { createdAt, broadcastAt }: Record<'createdAt' | 'broadcastAt', AnyColumn> = alerts,
): SQL | undefined {
  if (visibility === 'all') return undefined
  const isPublic = lte(createdAt, visibility.publicCutoff)
  return visibility.subscribed ? or(isNotNull(broadcastAt), isPublic) : isPublic
}

/**
 * Matches the rows whose existence is visible to the reader: readable rows and all broadcast rows.
 */
export function createVisibleCondition({ publicCutoff }: Pick<ReadAccess, 'publicCutoff'>): SQL | undefined {
  return or(isNotNull(alerts.broadcastAt), lte(alerts.createdAt, publicCutoff))
}
