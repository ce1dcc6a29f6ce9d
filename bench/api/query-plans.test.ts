import { endpoints } from '@tocsin/protocol'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { skippedEndpoints } from './paths.ts'
import { type SeededServer, startSeededServer } from './seeded-server.ts'

const SIZES = { alerts: 3_000, users: 8_000, payments: 6_000, destinations: 100 }
/**
 * Maximum number of rows that a scan may read. It is more than a list or a bounded count reads, and
 * less than the number of alerts, users or payments.
 */
const MAX_ROWS = 2_100
const LARGE_TABLES = new Set([
  'accounts',
  'activities',
  'alert_reads',
  'alert_signals',
  'alerts',
  'audit_entries',
  'channel_attempts',
  'channel_deliveries',
  'deliveries',
  'log_entries',
  'log_nodes',
  'message_recipients',
  'payments',
  'security_events',
  'sessions',
  'subscriptions',
  'support_messages',
  'wallet_proofs',
  'wallets',
])

/** Calls that may read more rows, with the reason. */
const EXCEPTIONS: Record<string, string> = {
  '/api/log/stats': 'the result is kept, and callers do not wait for it',
  '/api/track-record': 'the result is kept, and callers do not wait for it',
  '/api/track-record/alerts': 'the result is kept, and callers do not wait for it',
  '/api/alerts/facets': 'reads the newest 5,000 alerts',
  '/api/admin/channels': 'counts the deliveries of a day; a result of more than 10,000 is kept',
  '/api/channels': 'counts the deliveries of a week of the own destinations',
  '/api/admin/users/counts': 'counts accounts in an index: 100,000 take 10 ms',
  '/api/admin/recipients': 'counts accounts for the form of a new alert',
}

/**
 * Matches calls that are not examined: they read the delivery ledger of one destination, which
 * covers up to 30 days.
 */
const DELIVERIES_PATH_PATTERN = /^\/api\/channels\/[^/]+\/deliveries$/

interface Query {
  text: string
  values: unknown[]
}

let seededServer: SeededServer
let client: pg.Client
let executedQueries: Query[] = []
const originalQuery = pg.Client.prototype.query

beforeAll(async () => {
  // Replace this method before the server starts, because the server wraps it for each connection.
  pg.Client.prototype.query = function record(this: pg.Client, ...args: unknown[]) {
    const [first, second] = args
    const { text, values = second } = typeof first === 'string' ? { text: first } : (first as Partial<Query>)
    if (text !== undefined) executedQueries.push({ text, values: Array.isArray(values) ? values : [] })
    return Reflect.apply(originalQuery, this, args)
  } as typeof originalQuery
  seededServer = await startSeededServer(SIZES)
  client = new pg.Client({ connectionString: seededServer.server.ctx.config.databaseUrl })
  await client.connect()
  // PostgreSQL reads tables of this size with sequential scans, even if there is an index. Disable
  // them, and hash and merge joins, so that it uses the indexes as it does for large tables.
  await client.query('set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off')
})
afterAll(async () => {
  pg.Client.prototype.query = originalQuery
  await client?.end()
  await seededServer?.close()
})

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

function getScans(node: PlanNode): PlanNode[] {
  const largeTableScans = LARGE_TABLES.has(node['Relation Name'] ?? '') ? [node] : []
  return [...largeTableScans, ...(node.Plans ?? []).flatMap(getScans)]
}

/** Returns the number of rows that a scan has read, including rows that did not match. */
function countRowsRead(node: PlanNode): number {
  const rowsPerLoop =
    (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return rowsPerLoop * (node['Actual Loops'] ?? 1)
}

/**
 * Runs a query again and returns its scans that read too many rows. Changes by the query are rolled
 * back.
 */
async function findExpensiveScans({ text, values }: Query): Promise<string[]> {
  await client.query('begin')
  try {
    const { rows } = await client.query<{ plan: [{ Plan: PlanNode }] }>({
      text: `explain (analyze, format json) ${text}`,
      values,
    })
    const [plan] = Object.values(rows[0] ?? {})
    if (!plan) throw new Error(`There is no plan of ${text}`)
    const expensiveNodes = getScans(plan[0].Plan).filter((node) => countRowsRead(node) > MAX_ROWS)
    return expensiveNodes.map(
      (node) => `${node['Node Type']} on ${node['Relation Name']}: ${countRowsRead(node)} rows: ${text.trim()}`,
    )
  } finally {
    await client.query('rollback')
  }
}

/**
 * Returns whether a query is examined. Insertions are not: they read nothing, and insertions of
 * background jobs cannot be repeated.
 */
const isExaminedQuery = ({ text }: Query) => /^\s*(select|with|update|delete)\b/i.test(text)

async function findExpensiveQueries(paths: readonly string[], cookie: string): Promise<string[]> {
  const foundScans: string[] = []
  const examinedQueries = new Set<string>()
  let requests = 0
  for (const path of paths.filter(
    (one) => !(String(one.split('?')[0]) in EXCEPTIONS || DELIVERIES_PATH_PATTERN.test(one)),
  )) {
    requests += 1
    executedQueries = []
    // Send each request from another network, because of the rate limits.
    const headers = { cookie, 'x-forwarded-for': `10.0.${requests >> 8}.${requests & 255}` }
    const answer = await fetch(seededServer.server.url + path, { headers })
    const body = await answer.text()
    // A server that responds with another status, such as 400 for an invalid query string, has read
    // nothing. Some calls are only for other roles and respond with 403 or 404.
    expect([200, 403, 404], `${path}: ${body}`).toContain(answer.status)
    for (const query of executedQueries.filter(isExaminedQuery)) {
      const key = JSON.stringify(query)
      if (examinedQueries.has(key)) continue
      examinedQueries.add(key)
      foundScans.push(...(await findExpensiveScans(query)).map((scan) => `${path}: ${scan}`))
    }
  }
  return foundScans
}

test('query plans: every GET endpoint is examined, or is listed in skippedEndpoints', () => {
  const { everybody, signedIn, admin } = seededServer.paths
  const readPaths = [...everybody, ...signedIn, ...admin].map((path) => String(path.split('?')[0]))
  const missingEndpoints = Object.entries(endpoints).filter(([name, { method, path }]) => {
    const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)
    return method === 'GET' && !(name in skippedEndpoints) && !readPaths.some((one) => pattern.test(one))
  })
  expect(missingEndpoints.map(([name]) => name)).toEqual([])
})

test('query plans: calls without a session read few rows when the history is large', async () => {
  expect(await findExpensiveQueries(seededServer.paths.everybody, '')).toEqual([])
})

test('query plans: calls of a subscriber read few rows when the history is large', async () => {
  expect(await findExpensiveQueries(seededServer.paths.signedIn, seededServer.subscriberCookie)).toEqual([])
})

test('query plans: calls of an admin read few rows when the history is large', async () => {
  const alertPaths = seededServer.paths.signedIn.filter((path) => path.startsWith('/api/alerts'))
  expect(await findExpensiveQueries([...alertPaths, ...seededServer.paths.admin], seededServer.adminCookie)).toEqual([])
})
