import { sql } from 'drizzle-orm'
import type { Queryable } from './db/database.ts'

/** The one source of the present. Rules take `now` as an argument; only edges and workers ask this. */
export interface Clock {
  now(): Date
  /** The database's own clock, which all instances share. */
  readDatabaseTime(tx: Queryable): Promise<Date>
}

export const systemClock: Clock = { now: () => new Date(), readDatabaseTime }

/** Unlike `now()`, which PostgreSQL keeps at the start of the transaction, this moves while a transaction waits. */
async function readDatabaseTime(tx: Queryable): Promise<Date> {
  const { rows } = await tx.execute<{ ms: string }>(
    sql`select floor(extract(epoch from clock_timestamp()) * 1000)::text as ms`,
  )
  const [row] = rows
  if (!row) throw new Error('The database did not tell its time')
  return new Date(Number(row.ms))
}
