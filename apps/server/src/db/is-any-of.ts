import { type Column, type SQL, sql } from 'drizzle-orm'

/**
 * Matches rows whose column has one of the values. Unlike `inArray`, passes all values as one
 * parameter, because PostgreSQL allows at most 65,535 parameters per statement.
 */
export function isAnyOf(column: Column, values: readonly string[]): SQL {
  return sql`${column} = any(${sql.param([...values])})`
}
