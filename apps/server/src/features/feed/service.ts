import type { AdminSystem, SystemStatus } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { pause } from '../../pause.ts'
import { type Scheduler, systemScheduler } from '../../scheduler.ts'
import { connectFeed } from './connect-feed.ts'
import { findOpenGap, findReport, type Reporter, startReporter } from './feed-report.ts'
import { FEED_SETTING, type FeedSettings, findFeedSettings, readFeedForm } from './feed-settings.ts'
import { type IssueAlert, receiveSignals } from './receive-signals.ts'
import { isSilent } from './receive-statuses.ts'
import { readSignalCounts } from './signal-counts.ts'
import * as store from './store.ts'

/**
 * Duration after which a connection counts as good and resets the retry count. A message has the
 * same effect.
 */
const STABLE_AFTER_MS = 30_000
/**
 * Maximum jitter as a fraction of the interval, so that many clients of a feed do not reconnect at
 * the same moment.
 */
const JITTER = 0.1
/**
 * Time for which merged signals are kept, to recognise their outcomes: a feed sends the outcomes of
 * a week again on each connection.
 */
const MERGED_RETENTION_MS = 8 * DAY_MS

export interface FeedDependencies {
  issueAlert: IssueAlert
  /** Delay between two connections; replaced in tests. */
  wait?: typeof pause
  /** Replaced in tests. */
  schedule?: Scheduler
}

/**
 * Maintains the single connection to the signal feed while this instance is the leader. New
 * settings (notification `settings` with the key `feed`) restart the connection.
 */
export async function runFeed(ctx: Context, signal: AbortSignal, deps: FeedDependencies): Promise<void> {
  const deleteOldMergedSignals = () => {
    store
      .deleteMergedBefore(ctx.db, new Date(ctx.clock.now().getTime() - MERGED_RETENTION_MS))
      .catch((error: unknown) => ctx.logger.error({ err: error }, 'deleting old signals failed'))
  }
  const stopDeleting = systemScheduler.every(HOUR_MS, deleteOldMergedSignals)
  try {
    while (!signal.aborted) await runUntilChanged(ctx, signal, deps)
  } finally {
    stopDeleting()
  }
}

async function runUntilChanged(
  ctx: Context,
  signal: AbortSignal,
  { issueAlert, wait = pause, schedule = systemScheduler }: FeedDependencies,
): Promise<void> {
  const settingsChanged = new AbortController()
  const stopListening = ctx.notifications.on('settings', (key) => {
    if (key === FEED_SETTING || key === '') settingsChanged.abort()
  })
  try {
    const settings = await findFeedSettings(ctx)
    // Messages that were received before a change of settings are still processed. Only the loss of
    // leadership stops that.
    const processMessages = (raws: (string | null)[]) => receiveSignals(ctx, issueAlert, raws, signal)
    const reporter = await startReporter(ctx, settings !== null)
    try {
      const stopSignal = AbortSignal.any([signal, settingsChanged.signal])
      if (settings && 'problem' in settings) reporter.update({ state: 'failed', reason: settings.problem })
      else if (settings) await keepConnected(ctx, settings, { processMessages, reporter, wait, schedule }, stopSignal)
      await waitForAbort(stopSignal)
    } finally {
      await reporter.stop()
    }
  } finally {
    stopListening()
  }
}

interface ConnectionDependencies {
  processMessages: (raws: (string | null)[]) => Promise<void>
  reporter: Reporter
  wait: typeof pause
  schedule: Scheduler
}

/** Connects and reconnects until `signal` aborts. Gives up after too many failures in a row. */
async function keepConnected(
  ctx: Context,
  settings: FeedSettings,
  { processMessages, reporter, wait, schedule }: ConnectionDependencies,
  signal: AbortSignal,
) {
  const formatNow = () => ctx.clock.now().toISOString()
  for (let retries = 0; !signal.aborted; retries++) {
    let openedAtMs = Number.POSITIVE_INFINITY
    let isStable = false
    const reason = await connectFeed(
      {
        ...settings,
        allowPrivate: ctx.config.feed.allowPrivate,
        schedule,
        onOpen: () => {
          openedAtMs = performance.now()
          ctx.logger.info('the signal feed is connected')
          reporter.update({ state: 'connected', reason: null, connectedSince: formatNow() })
        },
        // A backlog of messages must not delay the report that the connection is lost.
        onClose: (reason) => {
          if (signal.aborted) return
          const wasOpen = openedAtMs !== Number.POSITIVE_INFINITY
          const gap = wasOpen ? { lastGap: { from: formatNow(), to: null }, connectedSince: null } : {}
          reporter.update({ state: 'reconnecting', reason, ...gap })
        },
        onMessages: (raws) => {
          isStable = true
          return processMessages(raws)
        },
        onPong: (pingMs) => {
          reporter.update({
            state: 'connected',
            reason: null,
            lastPongAt: formatNow(),
            pingMs: Math.round(pingMs * 10) / 10,
          })
        },
        onStale: () => reporter.update({ state: 'stale', reason: 'The feed did not respond to a ping in time' }),
      },
      signal,
    )
    if (signal.aborted) return
    if (isStable || performance.now() - openedAtMs >= STABLE_AFTER_MS) retries = 0
    ctx.logger.warn({ reason, retries }, 'the signal feed is not connected')
    if (retries >= settings.maxRetries) return reporter.update({ state: 'failed', reason })
    await wait(settings.reconnectIntervalMs * (1 + JITTER * Math.random()), signal)
  }
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

export interface FeedStatus {
  state: SystemStatus['feed']['state']
  /**
   * Includes merged and refused signals, but no messages of other types. A signal that became an
   * alert or was merged counts once, even if it is repeated.
   */
  signalsReceived: number
  signalsRefused: number
  lastSignalAt: string | null
}

/** Returns the status from the tables, so that every instance reports the same. */
export async function getFeedStatus(ctx: Context): Promise<FeedStatus> {
  const [counts, { state }] = await Promise.all([readSignalCounts(ctx), findReport(ctx)])
  return {
    state,
    signalsReceived: counts.accepted + counts.merged + counts.refused,
    signalsRefused: counts.refused,
    lastSignalAt: counts.lastAt?.toISOString() ?? null,
  }
}

/**
 * Returns figures for monitoring: the state of the connection, the signals, and when the newest
 * status of the engine arrived.
 */
export async function readFeedMetrics(ctx: Context) {
  const [{ state }, counts, engine] = await Promise.all([
    findReport(ctx),
    readSignalCounts(ctx),
    store.findEngineStatus(ctx.db),
  ])
  return { state, counts, engineAt: engine?.receivedAt ?? null }
}

export interface SourceGaps {
  source: 'feed' | 'engine'
  /** Null if there is no such source, or if nothing is known yet. */
  state: 'ok' | 'gap' | null
  /** Oldest first. `to` is null while the gap lasts. */
  gaps: { from: Date; to: Date | null }[]
}

/**
 * Returns the periods since `since` without a connection to the feed, or without a status of its
 * engine.
 */
export async function listSourceGaps(ctx: Context, since: Date): Promise<SourceGaps[]> {
  const [endedGaps, feed, engine] = await Promise.all([
    store.listGaps(ctx.db, since),
    findOpenGap(ctx, since),
    store.findEngineStatus(ctx.db),
  ])
  const createSourceGaps = (source: SourceGaps['source'], openGap: { from: Date | null } | null): SourceGaps => ({
    source,
    state: openGap && (openGap.from === null ? 'ok' : 'gap'),
    gaps: [
      ...endedGaps.flatMap(({ fromAt, toAt, ...gap }) => (gap.source === source ? [{ from: fromAt, to: toAt }] : [])),
      ...(openGap?.from ? [{ from: openGap.from, to: null }] : []),
    ],
  })
  const silentFrom = engine && isSilent(engine, ctx.clock.now()) ? engine.receivedAt : null
  return [createSourceGaps('feed', feed), createSourceGaps('engine', engine && { from: silentFrom })]
}

/** Time without a signal after which the market counts as quiet, if the connection is alive. */
const QUIET_AFTER_MS = 5 * MINUTE_MS

/** Returns the full feed status, for the operator. */
export async function feedDetails(ctx: Context): Promise<AdminSystem['feed']> {
  const [counts, report, { externalEndpoint }] = await Promise.all([
    readSignalCounts(ctx),
    findReport(ctx),
    readFeedForm(ctx, { withoutKey: true }),
  ])
  const { state, reason, connectedSince, lastPongAt, pingMs, lastGap } = report
  const lastSignalAgeMs = counts.lastAt && Math.max(0, ctx.clock.now().getTime() - counts.lastAt.getTime())
  const silentSinceMs = Math.max(counts.lastAt?.getTime() ?? 0, connectedSince ? Date.parse(connectedSince) : 0)
  return {
    endpoint: externalEndpoint,
    state,
    lastError: reason,
    isQuiet: state === 'connected' && ctx.clock.now().getTime() - silentSinceMs > QUIET_AFTER_MS,
    connectedSince,
    lastPongAt,
    pingMs,
    signalsReceived: counts.accepted + counts.merged + counts.refused,
    signalsRefused: counts.refused,
    signalsMerged: counts.merged,
    lastSignalAt: counts.lastAt?.toISOString() ?? null,
    lastSignalAgeMs,
    lastGap,
  }
}

/**
 * Returns why no signals arrive. Null in the states `connected` and `connecting`, or if no feed is
 * configured.
 */
export async function findFeedProblem(ctx: Context): Promise<string | null> {
  const { state } = await findReport(ctx)
  if (state === 'reconnecting') return 'the signal feed is not connected, trying again'
  if (state === 'stale') return 'the signal feed does not respond to pings'
  if (state !== 'failed') return null
  return 'the signal feed is not connected and is not retried; save or test it in the admin area'
}
