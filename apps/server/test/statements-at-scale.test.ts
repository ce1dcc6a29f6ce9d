import { randomUUID } from 'node:crypto'
import { channelDeliveries, destinations } from '@tocsin/server/db/schema/channels.ts'
import { createIssuer } from '@tocsin/server/features/alerts/issue-alerts.ts'
import { listDue } from '@tocsin/server/features/channels/store.ts'
import { ensureKeyList } from '@tocsin/server/features/tlog/service.ts'
import { findNewestKeyList, findTail } from '@tocsin/server/features/tlog/store.ts'
import { createTestContext, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'

/**
 * Statements that run for each alert must not read more rows when the log or a queue grows. The
 * planner's statistics are those of a running server: small tables are never analyzed.
 */
const ENTRY_COUNT = 3_000
const MAX_ROWS = 20

const database = useTestDatabase()
let opened: TestContext
let statements: { text: string; values: unknown[] }[] = []
const originalQuery = pg.Client.prototype.query
/** True for the heartbeat of the connection for notifications, which is sent every two seconds. */
const isHeartbeat = (text: string) => /^select .*clock_timestamp/.test(text)

beforeAll(async () => {
  const databaseUrl = await database.createDatabase()
  // Replace this method before the context is created, because it wraps the method for each
  // connection.
  pg.Client.prototype.query = function record(this: pg.Client, ...args: unknown[]) {
    const [first, values = []] = args
    const statement = { values, ...(typeof first === 'string' ? { text: first } : Object(first)) }
    const isOwn = new URL(databaseUrl).pathname === `/${this.database}`
    if (isOwn && !isHeartbeat(statement.text)) statements.push(statement)
    return Reflect.apply(originalQuery, this, args)
  } as typeof originalQuery
  opened = await createTestContext(testConfig({ databaseUrl }))
  const { ctx } = opened
  await ensureKeyList(ctx)
  const text = { asset: 'BTC/USDT', anomalyType: 'Spread', regime: '', summary: 'The spread is wide' }
  const content = { ...text, confidence: 90, priority: 'high' } as const
  const { alert } = await createIssuer(ctx)({ content, origin: 'admin', broadcast: true })
  // Copies are faster than signing as many alerts.
  await ctx.db.execute(sql`
    insert into log_entries (index, bytes, leaf_hash, signature, appended_at)
    select index + copy, bytes, leaf_hash, signature, appended_at
    from log_entries, generate_series(1, ${ENTRY_COUNT}) copy where index = ${alert.logIndex}`)
  const [accountId, destinationId] = [randomUUID(), randomUUID()]
  const now = ctx.clock.now()
  await ctx.db.execute(
    sql`insert into accounts (id, name, created_at) values (${accountId}, 'Trader', ${now.toISOString()})`,
  )
  await ctx.db.insert(destinations).values({
    id: destinationId,
    accountId,
    kind: 'webhook',
    name: 'Webhook',
    host: 'hooks.example.com',
    sealed: '',
    state: 'on',
    createdAt: now,
  })
  const waitingFields = { destinationId, event: 'alert' as const, state: 'waiting' as const, reason: '', rank: 2 }
  await ctx.db.insert(channelDeliveries).values(
    Array.from({ length: ENTRY_COUNT }, (_, index) => ({
      ...{ ...waitingFields, logIndex: index, seq: index, createdAt: now, nextAt: now },
    })),
  )
  await ctx.db.execute(sql`analyze log_entries, alerts, channel_deliveries`)
})
afterAll(async () => {
  pg.Client.prototype.query = originalQuery
  await opened?.close()
})

interface PlanNode {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** Returns the largest number of rows that a part of the plan has read. */
function countRows({ Plans = [], ...node }: PlanNode): number {
  const ownRows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
  return Math.max(ownRows, ...Plans.map(countRows))
}

/** Runs the only statement of `read` again, and returns how many rows it reads. */
async function countReadRows(read: () => Promise<unknown>): Promise<number> {
  statements = []
  await read()
  const [statement] = statements
  if (!statement || statements.length > 1) throw new Error(`${statements.length} statements`)
  const client = new pg.Client({ connectionString: opened.ctx.config.databaseUrl })
  await client.connect()
  try {
    const { text, values } = statement
    const { rows } = await client.query({ text: `explain (analyze, format json) ${text}`, values })
    return countRows(rows[0]['QUERY PLAN'][0].Plan)
  } finally {
    await client.end()
  }
}

test.each<[string, () => Promise<unknown>]>([
  ['the end of the log, for each append', () => findTail(opened.ctx.db)],
  ['the newest key list', () => findNewestKeyList(opened.ctx.db)],
  [
    'the next deliveries of a destination with many waiting ones',
    () => {
      const nothingBusy = { deliveries: [], destinations: [], hosts: [], kinds: [] }
      return listDue(opened.ctx.db, opened.ctx.clock.now(), nothingBusy, 2, 100)
    },
  ],
])('SQL statements: finding %s reads at most 20 rows of large tables', async (_what, read) => {
  expect(await countReadRows(read)).toBeLessThanOrEqual(MAX_ROWS)
})
