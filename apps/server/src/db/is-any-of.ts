import { type Column, type SQL, sql } from 'drizzle-orm'

/**
 * Matches rows whose column has one of the values. Unlike `inArray`, it needs one parameter for any
 * number of values: PostgreSQL allows 65,535 parameters per statement.
 */
export function isAnyOf(column: Column, values: readonly string[]): SQL {
  return sql`${column} = any(${sql.param([...values])})`
}
