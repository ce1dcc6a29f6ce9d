import { sql } from 'drizzle-orm'
import type { Queryable } from '../src/db/database.ts'

/** Written by what runs by itself: the mirror of the chain, how far it was read, leases, and signs of life. */
const WRITTEN_BY_WORKERS = ['anchors', 'settings', 'leases', 'instances', 'write_probes']

/** A fingerprint of every row that a request may write, by table: for tests of what must change nothing. */
export async function readTables(db: Queryable): Promise<Record<string, string>> {
  const { rows } = await db.execute<{ name: string }>(
    sql`select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  )
  const prints: Record<string, string> = {}
  for (const { name } of rows) {
    if (WRITTEN_BY_WORKERS.includes(name)) continue
    const table = sql.identifier(name)
    const result = await db.execute<{ print: string }>(
      sql`select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as print from ${table} t`,
    )
    prints[name] = result.rows[0]?.print ?? ''
  }
  return prints
}
