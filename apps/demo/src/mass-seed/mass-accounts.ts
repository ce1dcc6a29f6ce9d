import { plans } from '@tocsin/protocol'
import type { Context } from '@tocsin/server/context.ts'
import type { Tx } from '@tocsin/server/db/database.ts'
import { type SQL, sql } from 'drizzle-orm'

export interface MassCounts {
  users: number
  payments: number
  destinations: number
}

/**
 * Inserts all accounts with one SQL statement per table, because a round trip per account would
 * take too long. The accounts have no password and cannot be used to log in.
 */
export async function seedAccounts(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  db: Tx,
  { users, payments, destinations }: MassCounts,
  print: (line: string) => void,
): Promise<void> {
  const now = sql`${clock.now().toISOString()}::timestamptz`
  const { chainId, token } = config.payment
  const runStatement = async (name: string, statement: ReturnType<typeof sql>) => {
    await db.execute(statement)
    print(`  ${name}`)
  }
  await runStatement(
    'accounts',
    sql`insert into accounts (name, email, email_verified_at, created_at)
      select (array['Mara Okafor', 'Jonas Lindqvist', 'Wei Zhang', 'Priya Raman'])[1 + i % 4] || ' ' || i,
        'user' || i || '@example.com', case when i % 10 > 0 then ${now} end, ${now} - i * (interval '365 days' / ${users})
      from generate_series(1, ${users}::int) i`,
  )
  await db.execute(sql`create temporary table seeded as
    select row_number() over (order by created_at, id) as n, id, created_at from accounts where password_hash is null`)
  await db.execute(sql`create unique index on seeded (n)`)
  // Update the statistics. Otherwise the triggers of the following inserts would reuse query plans
  // for empty tables.
  await db.execute(sql`analyze accounts, account_figures, seeded`)
  await runStatement(
    'daily counts',
    sql`insert into daily_counts (day, name, count)
      select created_at::date, name, count(*) * factor from seeded, (values ('sign_ups', 1), ('landing_visits', 7)) c (name, factor)
      group by 1, 2, factor`,
  )
  await runStatement(
    'wallets',
    sql`insert into wallets (address, chain_id, account_id, linked_at)
      select ${createAddress(sql`n`)}, 0, id, created_at from seeded`,
  )
  await runStatement(
    'sessions',
    sql`insert into sessions (id_hash, account_id, remembered, user_agent, created_at, last_seen_at, expires_at)
      select md5(id::text), id, true, 'Firefox', ${now}, ${now}, ${now} + interval '30 days' from seeded where n % 2 = 0`,
  )
  await runStatement(
    'activities',
    sql`insert into activities (account_id, kind, detail, at)
      select id, 'signed_in', 'Signed in', ${now} - k * interval '1 day' from seeded, generate_series(1, 3) k`,
  )
  await runStatement(
    'audit entries',
    sql`insert into audit_entries (at, subject, action, detail, request_id)
      select ${now} - n * interval '1 minute', id::text,
        (array['role_changed', 'user_suspended', 'subscription_extended'])[1 + n % 3], '{"hours": 24}', 'seed'
      from seeded where n % 4 = 0`,
  )
  await runStatement(
    'security events',
    sql`insert into security_events (at, category, kind, account_ref, network, detail)
      select ${now} - (n + k * 86400) * interval '1 second', (array['sign-in', 'access', 'refused'])[1 + (n + k) % 3],
        (array['signed_in', 'session_ended', 'invalid_credentials'])[1 + (n + k) % 3], id,
        '10.' || n / 65536 || '.' || n / 256 % 256 || '.' || n % 256, 'Firefox'
      from seeded, generate_series(1, 3) k`,
  )
  await runStatement(
    'letters',
    sql`insert into support_messages (account_id, name, email, subject, message, at, state)
      select id, 'Seeded', 'user' || n || '@example.com', 'A question', 'Which chain do I pay on?', ${now} - n * interval '1 minute',
        case when n % 100 = 0 then 'open' else 'closed' end
      from seeded where n % 10 = 0`,
  )
  const payers = Math.max(1, Math.floor(users * 0.7))
  const planRows = plans.map(
    ({ id, priceWei, hours }, index) => sql`(${index}::int, ${id}, ${String(priceWei)}::numeric, ${hours}::int)`,
  )
  // Seven of ten accounts pay: first soon after they were created, then less and less often. All
  // payments refer to the first block, because it is final. The payment watcher reads the block of
  // each payment that is not final, and the demo's chain has too few blocks for a year of payments.
  await runStatement(
    'payments and subscriptions',
    sql`with plan (number, id, price, hours) as (values ${sql.join(planRows, sql`, `)}), paid as (
        insert into payments (chain_id, tx_hash, log_index, block_number, block_hash, block_at, token, payer, amount_wei,
          account_id, plan_id, price_wei, created_at)
        select ${chainId}, '0x' || md5('a' || i) || md5('b' || i), 0, 0, '0x' || md5('c' || i) || md5('d' || i), at,
          ${token}, ${createAddress(sql`s.n`)}, price, s.id, plan.id, price, at
        from (select i, 1 + (i * 7919::bigint) % ${payers} * 10 / 7 as n, (i - 1) / ${payers} = 0 as is_first,
            (i * 31::bigint) % 1000 / 1000.0 as part
          from generate_series(1, ${payments}::int) i) p
        join seeded s on s.n = p.n
        join plan on plan.number = p.i % ${plans.length}
        cross join lateral (select s.created_at
          + (${now} - s.created_at) * case when is_first then part / 50 else part * part end as at) time
        order by at
        returning id, account_id, plan_id, block_at)
      insert into subscriptions (account_id, payment_id, plan_id, starts_at, ends_at, created_at)
      select account_id, paid.id, plan_id, block_at, block_at + make_interval(hours => hours), block_at
      from paid join plan on plan.id = plan_id`,
  )
  await db.execute(sql`create temporary table ending as
    select account_id as id, max(ends_at) as ends_at from subscriptions group by 1`)
  await runStatement(
    'paused destinations and their ledger',
    sql`with made as (
        insert into destinations (account_id, kind, name, host, sealed, state, created_at)
        select id, 'webhook', 'Seeded', 'example.com', '', 'paused', created_at from seeded join ending using (id)
        order by ends_at desc limit ${destinations}
        returning id)
      insert into channel_deliveries (destination_id, log_index, event, seq, rank, state, reason, created_at, next_at, delivered_at)
      select made.id, d.log_index, 'alert', d.seq, 0, 'delivered', '', d.at, d.at, d.at + random() * interval '1 second'
      from made, (select * from deliveries order by seq desc limit 20) d`,
  )
  await runStatement(
    'read marks',
    sql`insert into alert_reads (account_id, alert_id, read_at)
      select s.id, a.id, ${now} from (select id from ending order by ends_at desc limit ${users} / 20) s,
        (select id from alerts order by log_index desc limit 50) a`,
  )
  await db.execute(sql`drop table seeded, ending`)
}

/**
 * Returns a pseudo-random wallet address, so that a search for a part of an address finds as few
 * matches as among real addresses.
 */
const createAddress = (n: SQL) => sql`'0x' || substr(md5(${n}::text) || md5('wallet' || ${n}), 1, 40)`
