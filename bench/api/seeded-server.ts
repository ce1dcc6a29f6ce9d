import { setTimeout as delay } from 'node:timers/promises'
import { seedMass } from '@tocsin/demo/mass-seed/mass-seed.ts'
import { systemClock } from '@tocsin/server/clock.ts'
import { bulkLimits } from '@tocsin/server/db/connection.ts'
import { migrateDatabase, openDatabase } from '@tocsin/server/db/database.ts'
import { anchors } from '@tocsin/server/db/schema/log.ts'
import { createAccount } from '@tocsin/server/features/accounts/service.ts'
import { getLogSize } from '@tocsin/server/features/tlog/service.ts'
import { createTestContext, startTestChain, startTestDatabase, testConfig } from '@tocsin/testkit'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { sql } from 'drizzle-orm'
import { listPaths, type Paths } from './paths.ts'

const ADDRESS = `0x${'0'.repeat(40)}`
const HASH = `0x${'0'.repeat(64)}`

type Sizes = Parameters<typeof seedMass>[1]

export interface SeededServer {
  server: TestServer
  /** Time until the server has started, without seeding. */
  startMs: number
  paths: Paths
  /** Session cookies of the admin and of two accounts. */
  adminCookie: string
  subscriberCookie: string
  unsubscribedCookie: string
  close(): Promise<void>
}

/**
 * Starts a server on a seeded database and waits until its log is anchored.
 * @param databaseUrl database to use, which is seeded only if it is empty; by default a new one
 */
export async function startSeededServer(sizes: Sizes, databaseUrl?: string): Promise<SeededServer> {
  const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
  const url = databaseUrl ?? (await database.createDatabase())
  await migrateDatabase(url)
  const { payment, anchor } = chain.settings
  const seedContext = await createTestContext(testConfig({ databaseUrl: url, payment, anchor }), systemClock)
  // Use longer limits: on a busy machine, the statement that inserts the payments exceeds the usual
  // time limit when a million alerts are seeded.
  const bulkDatabase = openDatabase(url, () => {}, { limits: bulkLimits })
  if ((await getLogSize(seedContext.ctx)) === 0) await seedMass({ ...seedContext.ctx, db: bulkDatabase.db }, sizes)
  await bulkDatabase.close()
  await seedContext.close()
  const beganAtMs = performance.now()
  const server = await startTestServer({ database, chain }, { databaseUrl: url, http: { trustedProxies: 1 } })
  const startMs = performance.now() - beganAtMs
  while ((await server.ctx.db.$count(anchors)) === 0) await delay(500)
  const admin = (await server.signInAdmin()).cookie()
  const [subscriber, withoutPlan] = [await openAccount(server, 'subscriber'), await openAccount(server, 'free')]
  await addSubscription(server, subscriber.id)
  await addDestinations(server, subscriber.id)
  return {
    server,
    startMs,
    paths: await listPaths(server.ctx, subscriber.id),
    adminCookie: admin,
    subscriberCookie: subscriber.cookie,
    unsubscribedCookie: withoutPlan.cookie,
    async close() {
      await server.close()
      await Promise.all([database.stop(), chain.stop()])
    },
  }
}

/** Creates an account that is a year old, so that all seeded alerts are newer than the account. */
async function openAccount({ ctx, createClient }: TestServer, name: string): Promise<{ id: string; cookie: string }> {
  const login = { email: `${name}-${Date.now()}@example.org`, password: 'a bell that rings at noon' }
  await createAccount(ctx, { ...login, name, role: 'user', verified: true })
  const client = createClient()
  await client.call('login', { body: login })
  const { rows } = await ctx.db.execute<{ id: string }>(sql`
    update accounts set created_at = created_at - interval '1 year' where email = ${login.email} returning id`)
  return { id: rows[0]?.id ?? '', cookie: client.cookie() }
}

async function addSubscription({ ctx }: TestServer, accountId: string): Promise<void> {
  await ctx.db.execute(sql`
    with paid as (
      insert into payments (chain_id, tx_hash, log_index, block_number, block_hash, block_at, token, payer, amount_wei,
        account_id, plan_id, price_wei, created_at)
      values (31337, '0x' || repeat(md5(${accountId}), 2), 0, 0, ${HASH}, now(), ${ADDRESS}, ${ADDRESS}, 1, ${accountId}::uuid, '3d', 1, now())
      returning id)
    insert into subscriptions (account_id, payment_id, plan_id, starts_at, ends_at, created_at)
    select ${accountId}::uuid, id, '3d', now() - interval '1 day', now() + interval '2 days', now() from paid`)
}

/**
 * Adds ten destinations with a week of deliveries, like those of an account that receives every
 * alert.
 */
async function addDestinations({ ctx }: TestServer, accountId: string): Promise<void> {
  await ctx.db.execute(sql`
    with made as (
      insert into destinations (account_id, kind, name, host, sealed, state, created_at)
      select ${accountId}::uuid, 'webhook', 'Seeded ' || i, 'example.com', '', 'paused', now() - interval '8 days'
      from generate_series(1, 10) i returning id)
    insert into channel_deliveries (destination_id, log_index, event, seq, rank, state, reason, created_at, next_at,
      delivered_at, took_ms)
    select made.id, d.log_index, 'alert', d.seq, 0, 'delivered', '', at, at, at + interval '1 second', 1000
    from made, (select log_index, seq, now() - (row_number() over (order by seq desc)) * interval '200 seconds' as at
      from deliveries order by seq desc limit 3000) d`)
}
