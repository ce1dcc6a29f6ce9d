import { sql } from 'drizzle-orm'
import type { Queryable } from '../src/db/database.ts'

/**
 * Tables that background jobs write: mirrored anchors, scan positions, leases, heartbeats, counts
 * of visits, and the security log, which also records refused requests.
 */
const WRITTEN_BY_WORKERS = [
  'anchors',
  'settings',
  'leases',
  'instances',
  'instance_samples',
  'write_probes',
  'channel_cursor',
  'daily_counts',
  'feed_gaps',
  'stream_reach',
  'record_alerts',
  'security_events',
  'security_outbox',
]

/**
 * Returns a fingerprint of all rows of each table that requests may write. Tests compare
 * fingerprints to check that a request changes nothing.
 */
export async function readTables(db: Queryable): Promise<Record<string, string>> {
  const { rows } = await db.execute<{ name: string }>(
    sql`select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  )
  const selects = rows
    .filter(({ name }) => !WRITTEN_BY_WORKERS.includes(name))
    .map(
      ({ name }) =>
        sql`select ${name}::text as name, count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as print from ${sql.identifier(name)} t`,
    )
  const result = await db.execute<{ name: string; print: string }>(sql.join(selects, sql` union all `))
  return Object.fromEntries(result.rows.map(({ name, print }) => [name, print]))
}
