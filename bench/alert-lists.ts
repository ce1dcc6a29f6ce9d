import { cpus } from 'node:os'
import { createAccount } from '@tocsin/server/features/accounts/service.ts'
import { startTestChain, startTestDatabase } from '@tocsin/testkit'
import { startTestServer } from '@tocsin/testkit/server'
import { seedAdminArea } from './admin/seed.ts'

/**
 * Measures the response time of the alert lists over HTTP, for an admin (who may read all alerts)
 * and for an account without a subscription. Requests are sent one at a time, each endpoint 15
 * times.
 * Usage: node --import tsx bench/alert-lists.ts [alerts = 100000]
 */
const ALERTS = Number(process.argv[2] ?? 100_000)
const RUNS = 15
const GOAL_MS = 200

const PATHS = [
  '/api/alerts/search',
  `/api/alerts/search?cursor=${ALERTS / 2}`,
  '/api/alerts/search?limit=100',
  '/api/alerts/search?q=volume',
  '/api/alerts/search?q=A777',
  '/api/alerts/search?q=nothingofthekind',
  '/api/alerts/search?q=volume&priority=critical&read=unread',
  '/api/alerts/search?priority=critical',
  '/api/alerts/search?asset=A777%2FUSDT',
  '/api/alerts/search?asset=none',
  '/api/alerts/search?type=Funding%20flip',
  '/api/alerts/search?read=unread',
  '/api/alerts/search?read=read',
  '/api/alerts/search?from=2020-01-01&to=2020-02-01',
  '/api/alerts/facets',
  '/api/alerts/unread',
]
const READ_PATHS = ['/api/alerts/unread', '/api/alerts/search', '/api/alerts/search?read=unread']

const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
const server = await startTestServer({ database, chain })
try {
  const { db } = server.ctx
  await seedAdminArea(server.ctx, { users: 100, alerts: ALERTS })
  console.log(
    `node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}`,
  )
  console.log(`${ALERTS.toLocaleString('en-US')} alerts`)
  // Half of the alerts are public, and all accounts are older than all alerts.
  await db.execute(`update alerts set created_at = now() - (${ALERTS} - log_index) * interval '48 hours' / ${ALERTS}`)
  await db.execute(`update accounts set created_at = now() - interval '1 year'`)
  await db.execute('vacuum analyze')
  const admin = await server.signInAdmin()
  const free = server.createClient()
  const login = { email: 'free@example.com', password: 'a bell that rings at noon' }
  await createAccount(server.ctx, { ...login, name: 'Free', role: 'user', verified: true })
  await free.call('login', { body: login })
  await db.execute(`update accounts set created_at = now() - interval '1 year'`)
  for (const path of PATHS) {
    await measure('all', path, admin.cookie())
    await measure('public', path, free.cookie())
  }
  await admin.call('markAllRead', { body: { upTo: ALERTS } })
  for (const path of READ_PATHS) await measure('all, marked as read', path, admin.cookie())
  await db.execute('delete from alert_read_marks')
  await db.execute(
    `insert into alert_reads select a.id, b.id, now() from accounts a, alerts b where a.email like 'admin%'`,
  )
  await db.execute('analyze')
  for (const path of READ_PATHS) await measure('all, each opened', path, admin.cookie())
  for (const path of ['/api/alerts/export.csv', '/api/alerts/export.json']) await measureExport(path, admin.cookie())
} finally {
  await server.close()
  await Promise.all([database.stop(), chain.stop()])
}

async function measure(who: string, path: string, cookie: string): Promise<void> {
  const times: number[] = []
  for (let time = 0; time < RUNS; time++) {
    const beganAtMs = performance.now()
    const answer = await fetch(server.url + path, { headers: { cookie } })
    await answer.text()
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
    times.push(performance.now() - beganAtMs)
  }
  const sorted = times.sort((a, b) => a - b)
  const median = sorted[Math.floor(RUNS / 2)] ?? 0
  const max = sorted.at(-1) ?? 0
  const verdict = median > GOAL_MS ? '  TOO SLOW' : ''
  console.log(`${median.toFixed(0).padStart(5)} ms (max ${max.toFixed(0)})  ${path}, ${who}${verdict}`)
}

async function measureExport(path: string, cookie: string): Promise<void> {
  const beganAtMs = performance.now()
  const answer = await fetch(server.url + path, { headers: { cookie } })
  const bytes = (await answer.arrayBuffer()).byteLength
  const seconds = (performance.now() - beganAtMs) / 1000
  const rss = Math.round(process.memoryUsage().rss / 2 ** 20)
  console.log(`${seconds.toFixed(1)} s  ${path}, ${(bytes / 2 ** 20).toFixed(0)} MiB, ${rss} MiB resident afterwards`)
}
