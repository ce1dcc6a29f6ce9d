import { feedStates } from '@tocsin/protocol'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import * as store from './store.ts'

const time = z.string().nullable()
/** The feed status that the connected instance reports to the other instances. */
const feedReport = z.object({
  state: z.enum(feedStates),
  /** Why the feed is not connected. */
  reason: z.string().nullable(),
  connectedSince: time,
  lastPongAt: time,
  pingMs: z.number().nullable(),
  /** The last period without a connection; `to` is null while it lasts. */
  lastGap: z.object({ from: z.string(), to: time }).nullable(),
})
export type FeedReport = z.infer<typeof feedReport>

const emptyReport: FeedReport = {
  state: 'off',
  reason: null,
  connectedSince: null,
  lastPongAt: null,
  pingMs: null,
  lastGap: null,
}

const REFRESH_MS = 10_000
/**
 * Time without a refresh after which a report is abandoned: its instance is dead, and another one
 * is becoming the leader.
 */
const ABANDONED_MS = 35_000

interface StoredReport {
  report: FeedReport
  at: Date
}

/** Reads the newest report, which any instance may have stored. */
async function readReport(ctx: Context): Promise<StoredReport | null> {
  const storedState = await store.findState(ctx.db)
  if (!storedState) return null
  const parsedReport = feedReport.safeParse(storedState.report)
  return { report: parsedReport.success ? parsedReport.data : emptyReport, at: storedState.at }
}

/**
 * Returns the newest report, with the state `reconnecting` if the instance that stored it has
 * stopped.
 */
export async function findReport(ctx: Context): Promise<FeedReport> {
  const storedReport = await readReport(ctx)
  return storedReport ? toCurrentReport(storedReport, ctx.clock.now()) : emptyReport
}

function toCurrentReport({ report, at }: StoredReport, now: Date): FeedReport {
  const isAbandoned = now.getTime() - at.getTime() > ABANDONED_MS
  if (!isAbandoned || report.state === 'off') return report
  return { ...report, state: 'reconnecting', reason: 'The connected instance has stopped' }
}

/**
 * Returns since when the feed is not connected; `from` is null while it is connected. Returns null
 * while no feed is configured or the first connection is being opened.
 */
export async function findOpenGap(ctx: Context, defaultFrom: Date): Promise<{ from: Date | null } | null> {
  const storedReport = await readReport(ctx)
  if (!storedReport) return null
  const { state } = toCurrentReport(storedReport, ctx.clock.now())
  if (state === 'off' || state === 'connecting') return null
  if (state === 'connected' || state === 'stale') return { from: null }
  const gap = findInitialGap(storedReport)
  return { from: gap && gap.to === null ? new Date(gap.from) : defaultFrom }
}

export interface Reporter {
  /** Changes the report. Ends the current `lastGap` if the new state is `connected`. */
  update(change: Partial<FeedReport>): void
  stop(): Promise<void>
}

/** Stores the report for all instances, on changes and as a heartbeat. */
export async function startReporter(ctx: Context, isOn: boolean): Promise<Reporter> {
  const previousReport = await readReport(ctx)
  let report: FeedReport = {
    ...emptyReport,
    state: isOn ? 'connecting' : 'off',
    lastGap: isOn && previousReport ? findInitialGap(previousReport) : (previousReport?.report.lastGap ?? null),
  }
  let endedGap: FeedReport['lastGap'] = null
  // The transaction fails on an instance that is no longer the leader, so only the leader can
  // report.
  const saveNow = () =>
    ctx.db.transaction(async (tx) => {
      const gap = endedGap
      await store.saveState(tx, report, ctx.clock.now())
      if (gap?.to) await store.insertGap(tx, 'feed', new Date(gap.from), new Date(gap.to))
      if (endedGap === gap) endedGap = null
    })
  let lastSave = saveNow()
  await lastSave
  const save = () => {
    lastSave = lastSave
      .then(saveNow)
      .catch((error) => ctx.logger.error({ err: error }, 'saving the state of the feed failed'))
  }
  // The report of a feed that is off never becomes outdated, so it is not refreshed.
  const timer = setInterval(() => report.state !== 'off' && save(), REFRESH_MS)
  return {
    update(change) {
      const { lastGap } = report
      const hasGapEnded = change.state === 'connected' && lastGap?.to === null
      report = { ...report, ...change }
      if (hasGapEnded) {
        report.lastGap = { from: lastGap.from, to: ctx.clock.now().toISOString() }
        endedGap = report.lastGap
      }
      save()
    },
    async stop() {
      clearInterval(timer)
      await lastSave
    },
  }
}

/**
 * Returns the last gap (period without a connection) at the start of this instance. If the previous
 * instance was still connected at its last report, a gap begins at that report: nothing has been
 * received since.
 */
function findInitialGap({ report, at }: StoredReport): FeedReport['lastGap'] {
  const isOpen = report.lastGap !== null && report.lastGap.to === null
  if (isOpen || report.connectedSince === null) return report.lastGap
  return { from: at.toISOString(), to: null }
}
