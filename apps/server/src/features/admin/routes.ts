import type { endpoints, SystemStatus } from '@tocsin/protocol'
import { getChain } from '@tocsin/protocol'
import { findPaymentChain } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { type Handler, type Input, signedIn } from '../../http/route.ts'
import { countActiveAccounts } from './store.ts'

type Endpoints = typeof endpoints

export type Coverage = SystemStatus['coverage']

/** Averages in percent; null if there are no data. */
export type AlertFigures = (
  ctx: Context,
  coverage: Coverage,
) => Promise<{
  total: number
  critical: number
  last24Hours: number
  criticalLast24Hours: number
  averageConfidence: number | null
  medianToAnchorMs: number | null
}>

export async function adminStats(
  ctx: Context,
  _input: Input<Endpoints['adminStats']>,
  alertFigures: AlertFigures,
): ReturnType<Handler<Endpoints['adminStats']>> {
  const [figures, activeUsers] = await Promise.all([
    alertFigures(ctx, 'all'),
    countActiveAccounts(ctx.db, ctx.clock.now()),
  ])
  return {
    totalAlerts: figures.total,
    criticalAlerts: figures.critical,
    activeUsers,
    averageConfidence: figures.averageConfidence ?? 0,
  }
}

export interface Measurements {
  startedAt: Date
  countListening(): Promise<number>
  feedStatus(ctx: Context): Promise<SystemStatus['feed']>
  /** The account's running subscription, or null. */
  findEntitlement(ctx: Context, accountId: string): Promise<object | null>
  alertFigures: AlertFigures
  anchorState(
    ctx: Context,
  ): Promise<{ state: SystemStatus['anchor']['state']; reason: string | null; lastAnchoredAt: Date | null }>
}

export async function systemStatus(
  ctx: Context,
  input: Input<Endpoints['systemStatus']>,
  measure: Measurements,
): ReturnType<Handler<Endpoints['systemStatus']>> {
  const { accountId, isAdmin } = signedIn(input)
  const coverage = isAdmin ? 'all' : (await measure.findEntitlement(ctx, accountId)) ? 'subscribed' : 'public'
  const [feed, figures, anchor, connected, { id, name }] = await Promise.all([
    measure.feedStatus(ctx),
    measure.alertFigures(ctx, coverage),
    measure.anchorState(ctx),
    measure.countListening(),
    findPaymentChain(ctx),
  ])
  return {
    startedAt: measure.startedAt.toISOString(),
    coverage,
    feed: coverage === 'public' ? withoutCounts(feed) : feed,
    stream: { connected },
    chain: { id, name },
    anchor: {
      chainName: getChain(ctx.config.anchor.chainId).name,
      state: anchor.state,
      reason: anchor.reason,
      lastAnchoredAt: anchor.lastAnchoredAt?.toISOString() ?? null,
    },
    alerts: {
      total: figures.total,
      last24Hours: figures.last24Hours,
      criticalLast24Hours: figures.criticalLast24Hours,
      medianToAnchorMs: figures.medianToAnchorMs,
    },
    measured: {
      averageConfidence: figures.averageConfidence,
      confidenceSample: figures.total,
      // Alert outcomes are not recorded, so there is no success rate.
      successRate: null,
      successSample: 0,
    },
  }
}

/** Keeps only the connection state: the counters would reveal each fresh alert. */
function withoutCounts({ state }: SystemStatus['feed']): SystemStatus['feed'] {
  return { state, signalsReceived: null, signalsRefused: null, lastSignalAt: null }
}
