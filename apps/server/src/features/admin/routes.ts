import type { endpoints, SystemStatus } from '@tocsin/protocol'
import { getChain } from '@tocsin/protocol'
import { findPaymentChain } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import type { Handler, Input } from '../../http/route.ts'
import { countActiveAccounts } from './store.ts'

type Endpoints = typeof endpoints

/** What the alerts say of themselves. Averages in percent; null where there is nothing to measure yet. */
export type AlertFigures = (ctx: Context) => Promise<{
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
  const [figures, activeUsers] = await Promise.all([alertFigures(ctx), countActiveAccounts(ctx.db, ctx.clock.now())])
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
  alertFigures: AlertFigures
  anchorState(
    ctx: Context,
  ): Promise<{ state: SystemStatus['anchor']['state']; reason: string | null; lastAnchoredAt: Date | null }>
}

export async function systemStatus(
  ctx: Context,
  _input: Input<Endpoints['systemStatus']>,
  measure: Measurements,
): ReturnType<Handler<Endpoints['systemStatus']>> {
  const [feed, figures, anchor, connected, { id, name }] = await Promise.all([
    measure.feedStatus(ctx),
    measure.alertFigures(ctx),
    measure.anchorState(ctx),
    measure.countListening(),
    findPaymentChain(ctx),
  ])
  return {
    startedAt: measure.startedAt.toISOString(),
    feed,
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
      // Nobody records yet whether an alert came true: nothing is measured, and nothing is claimed.
      successRate: null,
      successSample: 0,
    },
  }
}
