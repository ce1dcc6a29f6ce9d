import { cpus } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { seedMass } from '@tocsin/demo/mass-seed/mass-seed.ts'
import { systemClock } from '@tocsin/server/clock.ts'
import { anchors } from '@tocsin/server/db/schema/log.ts'
import { createAccount } from '@tocsin/server/features/accounts/service.ts'
import { logSize } from '@tocsin/server/features/tlog/service.ts'
import { createTestContext, startTestChain, startTestDatabase, testConfig } from '@tocsin/testkit'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { sql } from 'drizzle-orm'
import { listPaths } from './api/paths.ts'

/**
 * Measures every GET endpoint over HTTP on a seeded database, for an admin, an account with and one
 * without a subscription, and without a session. Requests are sent one at a time.
 * Usage: node --import tsx bench/api.ts [--alerts 100000] [--users …] [--payments …]
 *   [--destinations …] [--runs 20] [--only /api/alerts]
 * With BENCH_DATABASE_URL it uses that database, and seeds it only if it is empty. Never one of an
 * installation: the product migrates it and sends its mails.
 */
const { values } = parseArgs({
  options: {
    alerts: { type: 'string', default: '100000' },
    users: { type: 'string' },
    payments: { type: 'string' },
    destinations: { type: 'string' },
    runs: { type: 'string', default: '20' },
    only: { type: 'string', default: '' },
  },
})
const alerts = Number(values.alerts)
const sizes = {
  alerts,
  users: Number(values.users ?? alerts / 10),
  payments: Number(values.payments ?? (alerts * 3) / 10),
  destinations: Number(values.destinations ?? alerts / 100),
}
const runs = Number(values.runs)
const GOAL_MS = 100
let requests = 0

const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
const databaseUrl = process.env.BENCH_DATABASE_URL ?? (await database.createDatabase())
const { payment, anchor } = chain.settings
await seed()
const server = await startTestServer({ database, chain }, { databaseUrl, http: { trustedProxies: 1 } })
try {
  await measureAll(server)
} finally {
  await server.close()
  await Promise.all([database.stop(), chain.stop()])
}

async function seed(): Promise<void> {
  const { ctx, close } = await createTestContext(testConfig({ databaseUrl, payment, anchor }), systemClock)
  if ((await logSize(ctx)) === 0) {
    const startedMs = performance.now()
    await seedMass(ctx, sizes)
    console.log(`Seeded ${alerts} alerts in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`)
  }
  await close()
}

async function measureAll({ ctx, createClient, signInAdmin }: TestServer): Promise<void> {
  while ((await ctx.db.$count(anchors)) === 0) await delay(500)
  const admin = (await signInAdmin()).cookie()
  const [subscriber, free] = await Promise.all(['subscriber', 'free'].map((name) => openAccount(name)))
  if (!subscriber || !free) throw new Error('No accounts')
  await ctx.db.execute(sql`
    with paid as (
      insert into payments (chain_id, tx_hash, log_index, block_number, block_hash, block_at, token, payer, amount_wei,
        account_id, plan_id, created_at)
      values (0, ${subscriber.id}, 0, 0, '', now(), '', '', 1, ${subscriber.id}::uuid, '3d', now()) returning id)
    insert into subscriptions (account_id, payment_id, plan_id, starts_at, ends_at, created_at)
    select ${subscriber.id}::uuid, id, '3d', now() - interval '1 day', now() + interval '2 days', now() from paid`)
  const paths = await listPaths(ctx, subscriber.id)
  console.log(
    `node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}`,
  )
  const results: { p95: number; median: number; name: string }[] = []
  const measure = async (list: readonly string[], who: string, cookie: string) => {
    for (const path of list.filter((each) => each.startsWith(values.only))) {
      results.push({ name: `${path.slice(0, 90)}, ${who}`, ...(await measureOne(path, cookie)) })
    }
  }
  await measure(paths.everybody, 'without a session', '')
  await measure(paths.signedIn, 'subscriber', subscriber.cookie)
  await measure(paths.signedIn, 'without a plan', free.cookie)
  await measure([...paths.signedIn.filter((path) => path.startsWith('/api/alerts')), ...paths.admin], 'admin', admin)
  for (const { p95, median, name } of results.sort((a, b) => b.p95 - a.p95)) {
    const verdict = p95 > GOAL_MS ? `  over ${GOAL_MS} ms` : ''
    console.log(`p95 ${p95.toFixed(0).padStart(6)} ms, median ${median.toFixed(0).padStart(6)} ms  ${name}${verdict}`)
  }

  async function openAccount(name: string) {
    const login = { email: `${name}-${Date.now()}@example.org`, password: 'a bell that rings at noon' }
    await createAccount(ctx, { ...login, name, role: 'user', verified: true })
    const client = createClient()
    await client.call('login', { body: login })
    const { rows } = await ctx.db.execute<{ id: string }>(sql`
      update accounts set created_at = created_at - interval '1 year' where email = ${login.email} returning id`)
    return { id: rows[0]?.id ?? '', cookie: client.cookie() }
  }
}

async function measureOne(path: string, cookie: string): Promise<{ p95: number; median: number }> {
  const times: number[] = []
  for (let run = 0; run < runs; run++) {
    requests += 1
    // Each request comes from another network, because of the rate limits.
    const network = `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`
    const headers = { cookie, 'x-forwarded-for': network }
    const beganAtMs = performance.now()
    const answer = await fetch(server.url + path, { headers })
    await answer.text()
    times.push(performance.now() - beganAtMs)
    // A refusal of the query is answered fast and measures nothing.
    if (![200, 403, 404].includes(answer.status)) throw new Error(`${answer.status} ${path}`)
  }
  times.sort((a, b) => a - b)
  return { p95: times[Math.ceil(runs * 0.95) - 1] ?? 0, median: times[Math.floor(runs / 2)] ?? 0 }
}
