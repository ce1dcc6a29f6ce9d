import { type endpoints, getChain } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import type { Handler, Input } from '../../http/route.ts'
import { listEarlierAccess } from '../accounts/earlier-access.ts'
import { findMedianToAnchorMs } from '../alerts/service.ts'
import { feedDetails } from '../feed/service.ts'
import { paymentDetails } from '../payments/service.ts'
import { listTakeoverAlarms } from '../sessions/takeover-alarm.ts'
import { getAnchorState, getLogSize, listPublishedKeys } from '../tlog/service.ts'
import { findAnchorWallet, getAnchorWalletAddress } from './anchor-wallet.ts'
import type { RunningValues } from './routes.ts'

export async function adminSystem(
  ctx: Context,
  _input: Input<typeof endpoints.adminSystem>,
  { startedAt, countListening }: RunningValues,
): ReturnType<Handler<typeof endpoints.adminSystem>> {
  const now = ctx.clock.now()
  const [
    feed,
    payments,
    toAnchorMs,
    anchor,
    wallet,
    size,
    keys,
    listenerCount,
    database,
    takeoverAlarms,
    earlierAccesses,
  ] = await Promise.all([
    feedDetails(ctx),
    paymentDetails(ctx),
    findMedianToAnchorMs(ctx),
    getAnchorState(ctx),
    findAnchorWallet(ctx),
    getLogSize(ctx),
    listPublishedKeys(ctx),
    countListening(),
    measureDatabase(ctx),
    listTakeoverAlarms(ctx.db, new Date(now.getTime() - DAY_MS)),
    listEarlierAccess(ctx.db),
  ])
  return {
    startedAt: startedAt.toISOString(),
    now: now.toISOString(),
    version: ctx.config.version,
    feed,
    stream: { connected: listenerCount },
    anchor: {
      state: anchor.state,
      reason: anchor.reason,
      lastAnchoredAt: anchor.lastAnchoredAt?.toISOString() ?? null,
      medianToAnchorMs: toAnchorMs,
      wallet: getAnchorWalletAddress(ctx),
      ...wallet,
      chainName: getChain(ctx.config.anchor.chainId).name,
    },
    payments,
    signer: keys.at(-1)?.address ?? '',
    log: { size },
    database,
    takeovers: takeoverAlarms.map(({ accountId, at }) => ({ accountId, at: at.toISOString() })),
    staff: {
      needsFactor: ctx.config.adminFactor.isRequired,
      earlierAccess: earlierAccesses.map(({ accountId, ways }) => ({ accountId, ways })),
    },
  }
}

async function measureDatabase(ctx: Context) {
  const beganAtMs = performance.now()
  await ctx.db.execute(sql`select 1`)
  const latencyMs = Math.round((performance.now() - beganAtMs) * 10) / 10
  const { rows } = await ctx.db.execute<{ size: string; version: string }>(
    sql`select pg_database_size(current_database()) as size, current_setting('server_version') as version`,
  )
  return { latencyMs, sizeBytes: Number(rows[0]?.size ?? 0), version: rows[0]?.version ?? '' }
}
