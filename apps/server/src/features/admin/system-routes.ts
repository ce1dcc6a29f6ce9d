import { type endpoints, getChain } from '@tocsin/protocol'
import { sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import type { Handler, Input } from '../../http/route.ts'
import { anchorWalletAddress, findAnchorWallet } from './anchor-wallet.ts'
import type { Measurements } from './routes.ts'

/** Status readers of the other features. */
export interface Parts {
  startedAt: Date
  countListening(): Promise<number>
  medianToAnchorMs(ctx: Context): Promise<number | null>
  anchorState: Measurements['anchorState']
  logSize(ctx: Context): Promise<number>
  /** The current signing key. */
  currentSigner(ctx: Context): Promise<string>
  feedDetails(ctx: Context): Promise<Awaited<ReturnType<Handler<typeof endpoints.adminSystem>>>['feed']>
  payments(ctx: Context): Promise<Awaited<ReturnType<Handler<typeof endpoints.adminSystem>>>['payments']>
}

export async function adminSystem(
  ctx: Context,
  _input: Input<typeof endpoints.adminSystem>,
  parts: Parts,
): ReturnType<Handler<typeof endpoints.adminSystem>> {
  const [feed, payments, medianToAnchorMs, anchor, wallet, size, signer, connected, database] = await Promise.all([
    parts.feedDetails(ctx),
    parts.payments(ctx),
    parts.medianToAnchorMs(ctx),
    parts.anchorState(ctx),
    findAnchorWallet(ctx),
    parts.logSize(ctx),
    parts.currentSigner(ctx),
    parts.countListening(),
    measureDatabase(ctx),
  ])
  return {
    startedAt: parts.startedAt.toISOString(),
    now: ctx.clock.now().toISOString(),
    version: ctx.config.version,
    feed,
    stream: { connected },
    anchor: {
      state: anchor.state,
      reason: anchor.reason,
      lastAnchoredAt: anchor.lastAnchoredAt?.toISOString() ?? null,
      medianToAnchorMs,
      wallet: anchorWalletAddress(ctx),
      ...wallet,
      chainName: getChain(ctx.config.anchor.chainId).name,
    },
    payments,
    signer,
    log: { size },
    database,
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
