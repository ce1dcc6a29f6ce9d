import { sql } from 'drizzle-orm'
import { listChainContexts } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { BACKUP_SETTING, findSetting } from '../../db/setting.ts'
import type { Sample } from '../../metrics.ts'
import { readFeedMetrics } from '../feed/service.ts'
import { countOpenTransfers } from '../payments/ledger-store.ts'
import { findWatcherPosition } from '../payments/service.ts'
import { readClocks } from '../tlog/entry-time.ts'
import { getAnchorState, getLogSize } from '../tlog/service.ts'
import { findAnchorsLeft } from './anchor-wallet.ts'

/**
 * Returns the functions that read metrics from the database and the anchor chain. A scrape calls
 * all of them concurrently.
 */
export function listSampleReaders(ctx: Context): (() => Promise<Sample[]>)[] {
  return [readLog, readFeed, readPayments, readQueues, readDatabase, readBackup, readClock, readWallet].map(
    (read) => () => read(ctx),
  )
}

const computeSecondsSince = (ctx: Context, time: Date) =>
  Math.max(0, ctx.clock.now().getTime() - time.getTime()) / 1_000

export async function readLog(ctx: Context): Promise<Sample[]> {
  const [size, { state, anchoredSize, oldestWaitingAt }] = await Promise.all([getLogSize(ctx), getAnchorState(ctx)])
  return [
    { name: 'tocsin_log_entries', value: size },
    { name: 'tocsin_log_stopped', value: state === 'stopped' ? 1 : 0 },
    { name: 'tocsin_anchor_waiting_entries', value: Math.max(0, size - anchoredSize) },
    { name: 'tocsin_anchor_lag_seconds', value: oldestWaitingAt ? computeSecondsSince(ctx, oldestWaitingAt) : 0 },
  ]
}

export async function readFeed(ctx: Context): Promise<Sample[]> {
  const { state, counts, engineAt } = await readFeedMetrics(ctx)
  const { accepted, merged, refused, lastAt } = counts
  return [
    ...(state === 'off' ? [] : [{ name: 'tocsin_feed_connected' as const, value: state === 'connected' ? 1 : 0 }]),
    ...Object.entries({ accepted, merged, refused }).map(
      ([outcome, value]): Sample => ({ name: 'tocsin_feed_signals_total', value, labels: { outcome } }),
    ),
    ...(lastAt ? [{ name: 'tocsin_feed_signal_age_seconds' as const, value: computeSecondsSince(ctx, lastAt) }] : []),
    ...(engineAt
      ? [{ name: 'tocsin_engine_status_age_seconds' as const, value: computeSecondsSince(ctx, engineAt) }]
      : []),
  ]
}

export async function readPayments(ctx: Context): Promise<Sample[]> {
  const chains = await Promise.all(
    listChainContexts(ctx).map(async (context): Promise<Sample[]> => {
      const position = await findWatcherPosition(context)
      if (!position) return []
      const labels = { chain_id: String(context.config.payment.chainId) }
      return [
        { name: 'tocsin_payment_lag_seconds', value: computeSecondsSince(ctx, position.readAt), labels },
        { name: 'tocsin_payment_block', value: position.blockNumber, labels },
      ]
    }),
  )
  return [...chains.flat(), { name: 'tocsin_payments_unmatched', value: await countOpenTransfers(ctx.db) }]
}

export async function readQueues(ctx: Pick<Context, 'db' | 'clock'>): Promise<Sample[]> {
  const now = ctx.clock.now().toISOString()
  const { rows } = await ctx.db.execute<{ queue: string; depth: string; age: number | null }>(sql`
    select 'mail' as queue, count(*) as depth,
      extract(epoch from ${now}::timestamptz - min(start_after))::float8 as age
    from pgboss.job where name = 'mail' and state in ('created', 'retry', 'active')
      and start_after <= ${now}::timestamptz
    union all
    select 'channels', count(*), extract(epoch from ${now}::timestamptz - min(next_at))::float8
    from channel_deliveries where state = 'waiting' and next_at <= ${now}::timestamptz`)
  return rows.flatMap(({ queue, depth, age }): Sample[] => [
    { name: 'tocsin_queue_depth', value: Number(depth), labels: { queue } },
    { name: 'tocsin_queue_age_seconds', value: Math.max(0, age ?? 0), labels: { queue } },
  ])
}

async function readDatabase(ctx: Context): Promise<Sample[]> {
  const now = ctx.clock.now().toISOString()
  const { rows } = await ctx.db.execute<{ sessions: string; size: string }>(sql`
    select (select count(*) from sessions where expires_at > ${now}::timestamptz) as sessions,
      pg_database_size(current_database()) as size`)
  return rows.flatMap(({ sessions, size }): Sample[] => [
    { name: 'tocsin_sessions', value: Number(sessions) },
    { name: 'tocsin_database_size_bytes', value: Number(size) },
  ])
}

async function readBackup(ctx: Context): Promise<Sample[]> {
  const backupSetting = await findSetting(ctx.db, BACKUP_SETTING)
  return backupSetting
    ? [{ name: 'tocsin_backup_age_seconds', value: computeSecondsSince(ctx, backupSetting.updatedAt) }]
    : []
}

async function readClock(ctx: Context): Promise<Sample[]> {
  return [{ name: 'tocsin_clock_ahead_seconds', value: (await readClocks(ctx, ctx.db)).aheadMs / 1_000 }]
}

async function readWallet(ctx: Context): Promise<Sample[]> {
  return [{ name: 'tocsin_anchors_left', value: (await findAnchorsLeft(ctx)) ?? Number.NaN }]
}
