import type { Context } from '@tocsin/server/context.ts'
import { createIssuer } from '@tocsin/server/features/alerts/issue-alerts.ts'
import { appendEntries } from '@tocsin/server/features/tlog/append-entries.ts'

const BATCH_SIZE = 500
const priorities = ['low', 'medium', 'high', 'critical'] as const
const types = ['Volume spike', 'Funding flip', 'Book imbalance', 'Correlation break', 'Price dislocation'] as const

/**
 * Inserts users with wallets, sessions, payments and subscriptions by SQL, and issues alerts
 * through the server code.
 */
export async function seedAdminArea(ctx: Context, { users, alerts }: { users: number; alerts: number }): Promise<void> {
  await seedUsers(ctx, users)
  await seedAlerts(ctx, alerts)
  await ctx.db.execute('vacuum analyze')
}

async function seedUsers({ db }: Context, count: number): Promise<void> {
  await db.execute(`
    insert into accounts (name, email, email_verified_at, created_at)
    select (array['Mara Okafor', 'Jonas Lindqvist', 'Wei Zhang', 'Priya Raman'])[1 + i % 4] || ' user ' || i, 'user' || i || '@example.com', now(),
      now() - i * interval '1 minute'
    from generate_series(1, ${count}) i`)
  await db.execute(`
    insert into wallets (address, account_id, linked_at)
    select '0x' || lpad(to_hex(row_number() over (order by created_at)), 40, '0'), id, now() from accounts`)
  await db.execute(`
    insert into activities (account_id, kind, detail, at)
    select id, 'signed_in', 'Signed in', now() - n * interval '1 day' from accounts, generate_series(1, 5) n`)
  await db.execute(`
    insert into sessions (id_hash, account_id, remembered, user_agent, created_at, last_seen_at, expires_at)
    select md5(id::text || n), id, true, 'Firefox', now(), now(), now() + interval '30 days' from accounts, generate_series(1, 2) n`)
  await db.execute(`
    with paid as (
      insert into payments (chain_id, tx_hash, log_index, block_number, block_hash, block_at, token, payer, amount_wei, account_id, plan_id, created_at)
      select 31337, '0x' || md5(id::text || n), 0, n, '0x', now(), '0x', '0x', 10000000000000000000, id, '6h', now()
      from (select id, row_number() over (order by created_at) as at from accounts) a, generate_series(1, 3) n where at % 4 <> 0
      returning id, account_id, block_number)
    insert into subscriptions (account_id, payment_id, plan_id, starts_at, ends_at, created_at)
    select account_id, id, '6h', now() - block_number * interval '7 days', now() + (1.5 - block_number) * interval '7 days', now() from paid`)
  await db.execute(`
    insert into audit_entries (at, actor_id, action, subject, detail, request_id)
    select now(), (select id from accounts limit 1), (array['role_changed', 'alert_created', 'subscription_extended'])[1 + i % 3],
      (select id::text from accounts limit 1), '{}', 'request' from generate_series(1, 50000) i`)
}

async function seedAlerts(ctx: Context, count: number): Promise<void> {
  const issue = createIssuer(ctx, appendEntries)
  for (let from = 0; from < count; from += BATCH_SIZE) {
    const batch = Array.from({ length: Math.min(BATCH_SIZE, count - from) }, (_, at) => contentOf(from + at))
    await Promise.all(
      batch.map((content, at) =>
        issue({
          content,
          origin: 'feed',
          signalId: `seed-${from + at}`,
          signalHash: `0x${'11'.repeat(32)}`,
          broadcast: true,
        }),
      ),
    )
  }
  await ctx.db.execute(`
    insert into feed_signals (signal_id, observed_at, received_at, is_late)
    select signal_id, created_at, created_at, false from alerts where signal_id is not null`)
}

function contentOf(number: number) {
  return {
    asset: `A${number % 1_000}/USDT`,
    anomalyType: types[number % types.length] ?? types[0],
    confidence: 70 + (number % 300) / 10,
    regime: 'High volatility',
    summary: `Spot volume reached ${number % 97}× its 7-day norm in 90 s; ask depth fell ${number % 89}%.`,
    priority: priorities[number % priorities.length] ?? priorities[0],
  }
}
