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
export const KEPT_MS = DAY_MS
/**
 * Delay of the first report. By then an instance leads each job, which takes a second or two after
 * the start.
 */
const FIRST_REPORT_MS = 5_000
const DEADLINE_MS = 2_000
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
export function reportInstance(ctx: Context, self: OwnInstance, scheduler: Scheduler): () => Promise<void> {
  const loopDelay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
  loopDelay.enable()
  let last = Promise.resolve()
  const report = (isStopping: boolean) => {
    last = last
      .then(() => save(ctx, self, loopDelay, isStopping))
      .catch((error: unknown) => ctx.logger.warn({ err: error }, 'reporting the state of this instance failed'))
    return last
  }
  const stops = [
    scheduler.after(FIRST_REPORT_MS, () => void report(false)),
    scheduler.every(REPORT_MS, () => void report(false)),
  ]
  return async () => {
    for (const stop of stops) stop()
    await withDeadline(report(true), DEADLINE_MS, undefined)
    loopDelay.disable()
  }
}

async function save(
  ctx: Context,
  { name, startedAt, runChecks, leads, connected }: OwnInstance,
  loopDelay: ReturnType<typeof monitorEventLoopDelay>,
  isStopping: boolean,
): Promise<void> {
  const [results, lags] = isStopping ? [[], noLags] : await Promise.all([runChecks(), readLags(ctx)])
  const failing = results.filter(({ reason }) => reason !== null)
  const isUnavailable = failing.some(({ isRequired }) => isRequired)
  const state = isUnavailable ? 'unavailable' : failing.length > 0 ? 'degraded' : 'ready'
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
    failing: Object.fromEntries(failing.map((one) => [one.name, one.reason ?? ''])),
    jobs: isStopping ? [] : leads(),
    connected: isStopping ? 0 : connected(),
    loopDelayMs: Number.isFinite(delayMs) ? delayMs : 0,
    ...lags,
  } as const
  await ctx.db.insert(instanceSamples).values(row).onConflictDoNothing()
  await ctx.db.delete(instanceSamples).where(lt(instanceSamples.at, new Date(at.getTime() - KEPT_MS)))
}

const noLags = { anchorLag: null, paymentLag: null, queueAge: null, feedAge: null, engineAge: null }

async function readLags(ctx: Context): Promise<Record<keyof typeof noLags, number | null>> {
  const readSamples = (samples: Promise<Sample[]>) =>
    withDeadline(
      samples.catch(() => []),
      DEADLINE_MS,
      [],
    )
  const all = (
    await Promise.all([readLog, readPayments, readQueues, readFeed].map((reader) => readSamples(reader(ctx))))
  ).flat()
  const largest = (name: Sample['name']) => {
    const values = all.flatMap((sample) => (sample.name === name ? [sample.value] : []))
    return values.length > 0 ? Math.max(...values) : null
  }
  return {
    anchorLag: largest('tocsin_anchor_lag_seconds'),
    paymentLag: largest('tocsin_payment_lag_seconds'),
    queueAge: largest('tocsin_queue_age_seconds'),
    feedAge: largest('tocsin_feed_signal_age_seconds'),
    engineAge: largest('tocsin_engine_status_age_seconds'),
  }
}
