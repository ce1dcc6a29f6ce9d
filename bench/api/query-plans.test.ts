import type { AlertSelection } from '@tocsin/protocol'
import { systemClock } from '@tocsin/server/clock.ts'
import type { Database } from '@tocsin/server/db/database.ts'
import { listUsers } from '@tocsin/server/features/accounts/admin-store.ts'
import { countUnread, findReading, type Reader } from '@tocsin/server/features/alerts/read-store.ts'
import { findPage, prepareSearch } from '@tocsin/server/features/alerts/search-store.ts'
import { listPayments } from '@tocsin/server/features/payments/payment-list-store.ts'
import { createTestContext, startTestDatabase, type TestContext, type TestDatabase, testConfig } from '@tocsin/testkit'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { seedMass } from './mass-seed.ts'

const ALERTS = 4_500
const USERS = 20_000
/** More than a list or a bounded count reads, and much less than a table. */
const MAX_ROWS = 2_100
const LARGE = new Set(['alerts', 'log_entries', 'deliveries', 'accounts', 'wallets', 'payments', 'alert_reads'])

let database: TestDatabase
let context: TestContext
let pool: pg.Pool
let db: Database
let readerId: string
let asked: { text: string; values: unknown[] }[] = []

beforeAll(async () => {
  database = await startTestDatabase()
  const databaseUrl = await database.createDatabase()
  context = await createTestContext(testConfig({ databaseUrl }), systemClock)
  await seedMass(context.ctx, { alerts: ALERTS, users: USERS, payments: 10_000, destinations: 100 })
  pool = new pg.Pool({ connectionString: databaseUrl, max: 4 })
  const logger = { logQuery: (text: string, values: unknown[]) => void asked.push({ text, values }) }
  db = Object.assign(drizzle(pool, { logger }), { pipeline: context.ctx.db.pipeline })
  const { rows } = await pool.query<{ account_id: string }>('select account_id from alert_reads limit 1')
  readerId = rows[0]?.account_id ?? ''
})
afterAll(async () => {
  await Promise.all([pool?.end(), context?.close()])
  await database?.stop()
})

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string | undefined
  'Actual Rows'?: number | undefined
  'Actual Loops'?: number | undefined
  'Rows Removed by Filter'?: number | undefined
  'Rows Removed by Index Recheck'?: number | undefined
  Plans?: PlanNode[] | undefined
}

const planNode: z.ZodType<PlanNode> = z.looseObject({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
  'Actual Rows': z.number().optional(),
  'Actual Loops': z.number().optional(),
  'Rows Removed by Filter': z.number().optional(),
  'Rows Removed by Index Recheck': z.number().optional(),
  Plans: z.lazy(() => z.array(planNode)).optional(),
})

function scansOf(node: PlanNode): PlanNode[] {
  const own = LARGE.has(node['Relation Name'] ?? '') ? [node] : []
  return [...own, ...(node.Plans ?? []).flatMap(scansOf)]
}

/** Rows that a scan has looked at, whether they matched or not. */
function rowsRead(node: PlanNode): number {
  const perLoop =
    (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return perLoop * (node['Actual Loops'] ?? 1)
}

/** Runs the call, and each of its queries again to see what it reads. */
async function expensiveScans(call: () => Promise<unknown>): Promise<string[]> {
  asked = []
  await call()
  const queries = asked
  expect(queries.length).toBeGreaterThan(0)
  const found: string[] = []
  for (const { text, values } of queries) {
    const { rows } = await pool.query(`explain (analyze, format json) ${text}`, values)
    const [{ Plan }] = z.tuple([z.object({ Plan: planNode })]).parse(rows[0]?.['QUERY PLAN'])
    const large = scansOf(Plan).filter((node) => rowsRead(node) > MAX_ROWS)
    found.push(
      ...large.map((node) => `${node['Node Type']} on ${node['Relation Name']}: ${rowsRead(node)} rows: ${text}`),
    )
  }
  return found
}

const searches: [string, AlertSelection][] = [
  ['all', {}],
  ['a priority', { priority: 'critical' }],
  ['an asset', { asset: 'A7/USDT' }],
  ['an asset that does not exist', { asset: 'none' }],
  ['a type', { type: 'Depeg' }],
  ['a type and an asset', { type: 'Depeg', asset: 'A399/USDT' }],
  ['a regime', { regime: 'Trend' }],
  ['text of all alerts', { q: 'volume' }],
  ['text of some alerts', { q: 'A7' }],
  ['text of no alert', { q: 'nothingofthekind' }],
  ['read alerts', { read: 'read' }],
  ['read alerts with text of all', { read: 'read', q: 'volume' }],
  ['unread alerts', { read: 'unread' }],
  ['unread alerts of a priority with text of all', { read: 'unread', priority: 'critical', q: 'volume' }],
]

test.each(searches)('alert search: the cost of %s does not grow with the history', async (_name, selection) => {
  const scans = await expensiveScans(async () => {
    const { joinedIndex, marks } = await findReading(db, readerId)
    const publicAt = new Date(Date.now() - 86_400_000)
    const reader: Reader = {
      ...{ accountId: readerId, subscribed: true, publicAt, joinedIndex },
      marks: marks.map((mark) => ({ ...mark, publicAt })),
    }
    const search = await prepareSearch(db, readerId, selection)
    await findPage(db, reader, search, { limit: 51 })
    await countUnread(db, reader)
  })
  expect(scans).toEqual([])
})

test.each([
  ['the newest users', { filter: 'all' }],
  ['a name', { filter: 'all', search: 'no-such-name' }],
  ['an email address', { filter: 'all', search: 'user4711@' }],
  ['a wallet', { filter: 'all', search: '0x00000000000000000000000000000000000000ab' }],
] as const)('user list: %s is found by an index', async (_name, selection) => {
  expect(await expensiveScans(() => listUsers(db, selection, { limit: 50 }, new Date()))).toEqual([])
})

test.each([
  ['the newest payments', {}],
  ['payments of a name', { search: 'no-such-name' }],
  ['a transaction', { search: `0x${'ab'.repeat(32)}` }],
] as const)('payment list: %s are found by an index', async (_name, selection) => {
  expect(await expensiveScans(() => listPayments(db, selection, null, 51))).toEqual([])
})
