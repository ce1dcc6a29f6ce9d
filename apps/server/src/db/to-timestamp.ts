import { type SQL, sql } from 'drizzle-orm'

/** Passes a time to a raw SQL condition, where the driver does not know the type of the column. */
export function toTimestamp(at: Date): SQL {
  return sql`${at.toISOString()}::timestamptz`
}
