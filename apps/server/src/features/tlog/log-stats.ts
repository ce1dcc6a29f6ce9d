import type { LogStats } from '@tocsin/protocol'
import { DAY_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { getServerLimits, openDatabase } from '../../db/database.ts'
import { isDatabaseBusy } from '../../db/unavailable.ts'
import { computePublicCutoff } from '../../public-delay.ts'
import { Refusal } from '../../refusal.ts'
import { cacheByCost } from '../../stale-while-revalidate.ts'
import { getAnchorState } from './service.ts'
import {
  countAlertKinds,
  countMaintenanceEntries,
  countOutcomes,
  readEntryCounts,
  readTimeToAnchor,
} from './stats-store.ts'
import * as store from './store.ts'

const MEASURED_DAYS = 30
/**
 * Limits of background queries. With a million alerts on disk, the queries take longer than the
 * limits of requests allow. All of them share one connection, and `connectMs` limits how long each
 * waits for it: longer than the 14 minutes that the seven queries over whole tables may take. The
 * others read single rows.
 */
const BACKGROUND_LIMITS = { ...getServerLimits(120), connectMs: 20 * MINUTE_MS }
const RETRY_SECONDS = 5
/** Pause after a background measurement, as a multiple of its duration. */
const PAUSE_FACTOR = 20

/**
 * GET /api/log/stats. If a query reaches the time limit of requests, all queries are repeated in
 * the background on a connection with a higher limit. Until they have finished, callers get the
 * previous figures, or 429 before the first measurement.
 */
export function createLogStats(): (ctx: Context) => Promise<LogStats> {
  const measure = cacheByCost(measureLog)
  let lastStats: LogStats | null = null
  let runningRepeat: Promise<void> | null = null
  let pauseUntilMs = 0
  const measureInBackground = async (ctx: Context) => {
    const startedAtMs = performance.now()
    lastStats = await measureWithLongTimeout(ctx)
    const endedAtMs = performance.now()
    pauseUntilMs = endedAtMs + (endedAtMs - startedAtMs) * PAUSE_FACTOR
  }
  return async (ctx) => {
    if (lastStats && performance.now() < pauseUntilMs) return lastStats
    if (runningRepeat === null) {
      try {
        lastStats = await measure(ctx)
        return lastStats
      } catch (error) {
        if (!isDatabaseBusy(error)) throw error
        runningRepeat ??= measureInBackground(ctx)
          .catch((failure: unknown) => ctx.logger.warn({ err: failure }, 'measuring the log failed'))
          .finally(() => {
            runningRepeat = null
          })
      }
    }
    if (lastStats) return lastStats
    const text = 'The figures of the log are being computed for the first time.'
    throw new Refusal('being_computed', text, { retryAfterSeconds: RETRY_SECONDS })
  }
}

async function measureWithLongTimeout(ctx: Context): Promise<LogStats> {
  const onConnectionError = (error: Error) => ctx.logger.warn({ err: error }, 'a database connection broke')
  const { db, close } = openDatabase(ctx.config.databaseUrl, onConnectionError, { limits: BACKGROUND_LIMITS, max: 1 })
  try {
    return await measureLog({ ...ctx, db })
  } finally {
    await close()
  }
}

async function measureLog(ctx: Context): Promise<LogStats> {
  const now = ctx.clock.now()
  const since = new Date(now.getTime() - MEASURED_DAYS * DAY_MS)
  const publicCutoff = computePublicCutoff(now, ctx.config.publicDelayHours)
  const [{ size }, entries, kinds, outcomes, ownEntries, keyLists, anchors, anchoring, timeToAnchor, firstEntryAt] =
    await Promise.all([
      store.findHead(ctx.db),
      readEntryCounts(ctx.db),
      countAlertKinds(ctx.db, publicCutoff),
      countOutcomes(ctx.db, publicCutoff),
      countMaintenanceEntries(ctx.db),
      store.countKeyLists(ctx.db),
      store.countAnchors(ctx.db),
      getAnchorState(ctx),
      readTimeToAnchor(ctx.db, since, publicCutoff),
      store.findFirstEntryTime(ctx.db),
    ])
  return {
    size,
    entriesStored: entries.stored,
    gaps: entries.gaps,
    alerts: kinds.alert,
    corrections: kinds.correction,
    retractions: kinds.retraction,
    keyLists,
    heartbeats: ownEntries.heartbeats,
    successions: ownEntries.successions,
    outcomes,
    anchors,
    anchoredSize: anchoring.anchoredSize,
    lastAnchoredAt: anchoring.lastAnchoredAt?.toISOString() ?? null,
    oldestWaitingAt: anchoring.oldestWaitingAt?.toISOString() ?? null,
    state: anchoring.state,
    reason: anchoring.reason,
    timeToAnchor,
    firstEntryAt: firstEntryAt?.toISOString() ?? null,
  }
}
