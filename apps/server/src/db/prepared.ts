import { fillPlaceholders, type SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { setNewest } from '../set-newest.ts'
import type { Queryable } from './database.ts'

const dialect = new PgDialect()

/**
 * Returns a function that runs the statement. The text of the statement is built once, and
 * PostgreSQL parses and plans it once per connection. The query is sent before the function
 * returns, so that callers can send several without waiting.
 *
 * Rows have the types of the driver: numbers of type bigint and times are text, and bytea is a
 * Buffer.
 * @param name unique among the statements of the server
 * @param statement with `sql.placeholder`s for the values
 */
export function prepareStatement<Row, Values extends Record<string, unknown>>(
  name: string,
  statement: () => SQL,
): (tx: Queryable, values: Values) => Promise<Row[]> {
  let builtQuery: { sql: string; params: unknown[] } | null = null
  return async (tx, values) => {
    builtQuery ??= dialect.sqlToQuery(statement())
    const query = { sql: builtQuery.sql, params: fillPlaceholders(builtQuery.params, values) }
    const { rows } = await tx._.session
      .prepareQuery<{ execute: { rows: Row[] }; all: unknown; values: unknown }>(query, undefined, name, false)
      .execute()
    return rows
  }
}

export interface Preparable<Rows> {
  prepare(name: string | undefined): { execute(values?: Record<string, unknown>): Promise<Rows> }
}

/**
 * Like `prepareStatement`, for a typed query of drizzle's builder. Outside transactions the query
 * is built once; a transaction builds it again, because drizzle binds a query to a connection.
 * @param name undefined if PostgreSQL should plan each call, because the plan depends on the values
 */
export function prepareSelect<Rows, Values extends Record<string, unknown>>(
  name: string | undefined,
  build: (tx: Queryable) => Preparable<Rows>,
): (tx: Queryable, values: Values) => Promise<Rows> {
  const preparedSelects = new WeakMap<object, ReturnType<Preparable<Rows>['prepare']>>()
  return (tx, values) => {
    const { session } = tx._
    const preparedSelect = preparedSelects.get(session) ?? build(tx).prepare(name)
    preparedSelects.set(session, preparedSelect)
    return preparedSelect.execute(values)
  }
}

const MAX_SHAPES = 500

/**
 * Like `prepareSelect`, for a query whose text depends on the call. `queryShape` identifies the
 * text: calls with the same shape share it. The 500 most recently used texts are cached. PostgreSQL
 * plans each call for its values.
 */
export function prepareByShape<Rows>() {
  const selectsByShape = new Map<string, ReturnType<typeof prepareSelect<Rows, Record<string, unknown>>>>()
  return (
    tx: Queryable,
    queryShape: string,
    build: (tx: Queryable) => Preparable<Rows>,
    values: Record<string, unknown>,
  ): Promise<Rows> => {
    const select = selectsByShape.get(queryShape) ?? prepareSelect<Rows, Record<string, unknown>>(undefined, build)
    setNewest(selectsByShape, queryShape, select, MAX_SHAPES)
    return select(tx, values)
  }
}
