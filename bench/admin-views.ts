import { cpus } from 'node:os'
import { startTestChain, startTestDatabase, type TestClient } from '@tocsin/testkit'
import { startTestServer } from '@tocsin/testkit/server'
import { seedAdminArea } from './admin/seed.ts'

/**
 * Measures the response time of each admin endpoint over HTTP with many users and alerts. Requests
 * are sent one at a time, each endpoint 15 times.
 * Usage: node --import tsx bench/admin-views.ts [users = 10000] [alerts = 100000]
 */
const USERS = Number(process.argv[2] ?? 10_000)
const ALERTS = Number(process.argv[3] ?? 100_000)
const RUNS = 15
const GOAL_MS = 200

const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
const server = await startTestServer({ database, chain })
try {
  await seedAdminArea(server.ctx, { users: USERS, alerts: ALERTS })
  console.log(
    `node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}`,
  )
  console.log(`${USERS.toLocaleString('en-US')} users, ${ALERTS.toLocaleString('en-US')} alerts`)
  const admin = await server.signInAdmin()
  for (const path of await listViews(admin)) await measure(path, admin.cookie())
} finally {
  await server.close()
  await Promise.all([database.stop(), chain.stop()])
}

async function listViews(admin: TestClient): Promise<string[]> {
  const [first] = await admin.call('listUsers', { query: { search: 'user 5000', limit: 1 } })
  const deep = (await admin.call('listUsers', { query: { search: 'user 10', limit: 1 } }))[0]?.id ?? ''
  return [
    '/api/admin/stats',
    '/api/status',
    '/api/admin/system',
    '/api/admin/users',
    `/api/admin/users?cursor=${deep}`,
    '/api/admin/users?filter=active',
    '/api/admin/users?filter=expired',
    '/api/admin/users?filter=none',
    '/api/admin/users?search=okafor',
    '/api/admin/users?search=0x00000000',
    '/api/admin/users/counts',
    '/api/admin/users/counts?filter=active&search=1',
    `/api/admin/users/${first?.id ?? ''}`,
    '/api/admin/alerts',
    '/api/admin/alerts?cursor=50000',
    '/api/admin/alerts?search=volume',
    '/api/admin/alerts?search=A777',
    '/api/admin/alerts?priority=critical',
    '/api/admin/alerts?priority=critical&search=volume',
    '/api/admin/recipients',
    '/api/admin/audit',
    '/api/admin/audit?action=role_changed',
    '/api/admin/payments/unmatched',
    '/api/admin/payments/reconciliation',
    '/api/admin/feed/refused',
    '/api/admin/websocket/config',
    '/api/admin/settings/chain_id',
  ]
}

async function measure(path: string, cookie: string): Promise<void> {
  const times: number[] = []
  for (let time = 0; time < RUNS; time++) {
    const beganAtMs = performance.now()
    const answer = await fetch(server.url + path, { headers: { cookie } })
    await answer.text()
    if (!answer.ok) throw new Error(`${path} returned ${answer.status}`)
    times.push(performance.now() - beganAtMs)
  }
  const sorted = times.sort((a, b) => a - b)
  const median = sorted[Math.floor(RUNS / 2)] ?? 0
  const max = sorted.at(-1) ?? 0
  const verdict = median < GOAL_MS ? '' : `  over the goal of ${GOAL_MS} ms`
  console.log(`${median.toFixed(0).padStart(6)} ms  (max ${max.toFixed(0).padStart(4)})  ${path}${verdict}`)
}
