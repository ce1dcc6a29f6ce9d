import type { endpoints, SystemStatus } from '@tocsin/protocol'
import { getChain } from '@tocsin/protocol'
import { findPaymentChain } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { type Handler, type Input, requireActor } from '../../http/route.ts'
import { findVisibility } from '../access/read-access.ts'
import type { createAlertFigures } from '../alerts/figures.ts'
import { getFeedStatus } from '../feed/service.ts'
import type { TrackRecords } from '../record/track-record.ts'
import { type AnchorState, getAnchorState } from '../tlog/service.ts'
import { countActiveAccounts } from './store.ts'

type Endpoints = typeof endpoints

type AlertFigures = ReturnType<typeof createAlertFigures>

/**
 * Returns the statistics. They cover only alerts that the caller may read, because two averages
 * with their sample sizes reveal the value of an alert.
 */
export async function adminStats(
  ctx: Context,
  input: Input<Endpoints['adminStats']>,
  alertFigures: AlertFigures,
): ReturnType<Handler<Endpoints['adminStats']>> {
  const [figures, activeUsers] = await Promise.all([
    findCoverage(ctx, input).then((coverage) => alertFigures(ctx, coverage)),
    countActiveAccounts(ctx.db, ctx.clock.now()),
  ])
  return {
    totalAlerts: figures.total,
    criticalAlerts: figures.critical,
    activeUsers,
    averageConfidence: figures.averageConfidence ?? 0,
  }
}

/** Values of the running server that are not in the database. */
export interface RunningValues {
  startedAt: Date
  /** Returns the number of connected sockets that receive alerts, on all instances. */
  countListening(): Promise<number>
}

/** The optional functions are replaced in tests. */
export interface Measurements extends RunningValues {
  alertFigures: AlertFigures
  trackRecords?: Pick<TrackRecords, 'peek'>
  feedStatus?(ctx: Context): Promise<SystemStatus['feed']>
  anchorState?(ctx: Context): Promise<Pick<AnchorState, 'state' | 'reason' | 'lastAnchoredAt'>>
}

async function findCoverage(
  ctx: Context,
  input: Pick<Input<Endpoints['adminStats']>, 'actor'>,
): Promise<SystemStatus['coverage']> {
  const visibility = await findVisibility(ctx, requireActor(input))
  if (visibility === 'all') return 'all'
  return visibility.subscribed ? 'subscribed' : 'public'
}

export async function systemStatus(
  ctx: Context,
  input: Input<Endpoints['systemStatus']>,
  measurements: Measurements,
): ReturnType<Handler<Endpoints['systemStatus']>> {
  const sources = { feedStatus: getFeedStatus, anchorState: getAnchorState, ...measurements }
  const coverage = await findCoverage(ctx, input)
  const [feed, figures, anchor, listenerCount, { id, name }] = await Promise.all([
    sources.feedStatus(ctx),
    sources.alertFigures(ctx, coverage),
    sources.anchorState(ctx),
    sources.countListening(),
    findPaymentChain(ctx),
  ])
  const { strict, interval } = sources.trackRecords?.peek(ctx, ctx.config.demo ? 'demo' : 'feed')?.overall ?? {}
  return {
    startedAt: sources.startedAt.toISOString(),
    coverage,
    feed: coverage === 'public' ? hideCounts(feed) : feed,
    stream: { connected: listenerCount },
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
      // The strict rate of the public record, which is the same for all callers.
      successRate: strict?.rate == null ? null : 100 * strict.rate,
      successSample: strict?.n ?? 0,
      successInterval: interval ? [100 * interval[0], 100 * interval[1]] : null,
    },
  }
}

/**
 * Removes all fields except the connection state, because the counters would reveal each fresh
 * alert.
 */
function hideCounts({ state }: SystemStatus['feed']): SystemStatus['feed'] {
  return { state, signalsReceived: null, signalsRefused: null, lastSignalAt: null }
}
