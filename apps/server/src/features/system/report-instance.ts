import { monitorEventLoopDelay } from 'node:perf_hooks'
import { DAY_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { lt } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { withDeadline } from '../../db/health.ts'
import { instanceSamples } from '../../db/schema/server.ts'
import type { RunChecks } from '../../http/checks.ts'
import type { Sample } from '../../metrics.ts'
import type { Scheduler } from '../../scheduler.ts'
import { readFeed, readLog, readPayments, readQueues } from './samples.ts'

export const REPORT_MS = MINUTE_MS
export const SAMPLE_RETENTION_MS = DAY_MS
/**
 * Delay of the first report. By then an instance leads each job, which takes a second or two after
 * the start.
 */
const FIRST_REPORT_MS = 5_000
const TIMEOUT_MS = 2_000
const LOOP_RESOLUTION_MS = 20
const NANOSECONDS_PER_MS = 1e6

/** The values of a report that only the running process has. */
export interface OwnInstance {
  /** Host name and port of the instance. */
  name: string
  startedAt: Date
  runChecks: RunChecks
  leads(): string[]
  connected(): number
}

/**
 * Reports this instance shortly after its start, once a minute, and when it stops. If a report
 * fails, for example because the database is unreachable, it is missing in the history.
 * @returns a function that reports that the instance stops
 */
export function reportInstance(ctx: Context, ownInstance: OwnInstance, scheduler: Scheduler): () => Promise<void> {
  const loopDelay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
  loopDelay.enable()
  let lastReport = Promise.resolve()
  const reportState = (isStopping: boolean) => {
    lastReport = lastReport
      .then(() => saveSample(ctx, ownInstance, loopDelay, isStopping))
      .catch((error: unknown) => ctx.logger.warn({ err: error }, 'reporting the state of this instance failed'))
    return lastReport
  }
  const stops = [
    scheduler.after(FIRST_REPORT_MS, () => void reportState(false)),
    scheduler.every(REPORT_MS, () => void reportState(false)),
  ]
  return async () => {
    for (const stop of stops) stop()
    await withDeadline(reportState(true), TIMEOUT_MS, undefined)
    loopDelay.disable()
  }
}

async function saveSample(
  ctx: Context,
  { name, startedAt, runChecks, leads, connected }: OwnInstance,
  loopDelay: ReturnType<typeof monitorEventLoopDelay>,
  isStopping: boolean,
): Promise<void> {
  const [results, lags] = isStopping ? [[], noLags] : await Promise.all([runChecks(), readLags(ctx)])
  const failingChecks = results.filter(({ reason }) => reason !== null)
  const isUnavailable = failingChecks.some(({ isRequired }) => isRequired)
  const state = isUnavailable ? 'unavailable' : failingChecks.length > 0 ? 'degraded' : 'ready'
  const at = ctx.clock.now()
  // The measured delay includes the interval of the timer, which is subtracted.
  const delayMs = Math.max(0, loopDelay.percentile(99) / NANOSECONDS_PER_MS - LOOP_RESOLUTION_MS)
  loopDelay.reset()
  const row = {
    name,
    at,
    version: ctx.config.version,
    startedAt,
    state: isStopping ? ('stopped' as const) : state,
    failing: Object.fromEntries(failingChecks.map((failingCheck) => [failingCheck.name, failingCheck.reason ?? ''])),
    jobs: isStopping ? [] : leads(),
    connected: isStopping ? 0 : connected(),
    loopDelayMs: Number.isFinite(delayMs) ? delayMs : 0,
    ...lags,
  } as const
  await ctx.db.insert(instanceSamples).values(row).onConflictDoNothing()
  await ctx.db.delete(instanceSamples).where(lt(instanceSamples.at, new Date(at.getTime() - SAMPLE_RETENTION_MS)))
}

const noLags = { anchorLag: null, paymentLag: null, queueAge: null, feedAge: null, engineAge: null }

async function readLags(ctx: Context): Promise<Record<keyof typeof noLags, number | null>> {
  const readSamples = (samples: Promise<Sample[]>) =>
    withDeadline(
      samples.catch(() => []),
      TIMEOUT_MS,
      [],
    )
  const allSamples = (
    await Promise.all([readLog, readPayments, readQueues, readFeed].map((reader) => readSamples(reader(ctx))))
  ).flat()
  const findLargest = (name: Sample['name']) => {
    const values = allSamples.flatMap((sample) => (sample.name === name ? [sample.value] : []))
    return values.length > 0 ? Math.max(...values) : null
  }
  return {
    anchorLag: findLargest('tocsin_anchor_lag_seconds'),
    paymentLag: findLargest('tocsin_payment_lag_seconds'),
    queueAge: findLargest('tocsin_queue_age_seconds'),
    feedAge: findLargest('tocsin_feed_signal_age_seconds'),
    engineAge: findLargest('tocsin_engine_status_age_seconds'),
  }
}
