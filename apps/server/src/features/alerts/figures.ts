import { DAY_MS } from '@tocsin/protocol/durations'
import { coalesce } from '../../coalesce.ts'
import type { Context } from '../../context.ts'
import { computePublicCutoff } from '../../public-delay.ts'
import * as store from './store.ts'

/**
 * The alerts that the figures cover: public alerts, alerts that subscribers may read, or all alerts
 * including unsent drafts.
 */
export type Coverage = 'public' | 'subscribed' | 'all'

/** A figure is null if there is nothing to measure. */
export interface AlertFigures {
  total: number
  critical: number
  last24Hours: number
  criticalLast24Hours: number
  /** In percent. */
  averageConfidence: number | null
  medianToAnchorMs: number | null
}

/** Counts of the alerts up to a log index: of all alerts, and of two time windows. */
interface CountedFigures {
  last: store.LastCounted
  starts: store.WindowStarts
  counts: store.WindowCounts
}

interface Question {
  ctx: Context
  coverage: Coverage
}

const BATCHING = { maxBatchSize: 500, pauseMs: 20 }
const zeroCounts: store.Counts = { total: 0, critical: 0, confidenceTenths: 0 }
const zeroWindowCounts: store.WindowCounts = { all: zeroCounts, day: zeroCounts, fresh: zeroCounts }
const initialFigures: CountedFigures = {
  last: { lastIndex: -1, lastId: null },
  starts: { day: new Date(0), fresh: new Date(0) },
  counts: zeroWindowCounts,
}

/**
 * Creates a function that computes alert figures incrementally: each query costs only what changed
 * since the previous query. A logged alert never changes, and alerts become visible in log order.
 * So the counts add the alerts above the last counted index and subtract those that have become too
 * old for a window. If a failover has lost the last counted alert, all are recounted. Fresh alerts
 * that were not broadcast may still be broadcast, so they are counted each time with a dedicated
 * index.
 */
export function createAlertFigures(): (ctx: Context, coverage: Coverage) => Promise<AlertFigures> {
  let countedFigures = initialFigures
  const readFigures = coalesce(BATCHING, async (questions: Question[]) => {
    const [firstQuestion] = questions
    if (!firstQuestion) return []
    const { ctx } = firstQuestion
    const now = ctx.clock.now()
    const publicCutoff = computePublicCutoff(now, ctx.config.publicDelayHours)
    const starts = {
      day: new Date(now.getTime() - DAY_MS),
      // Times have millisecond precision, so this is the earliest time that is not public yet.
      fresh: new Date(publicCutoff.getTime() + 1),
    }
    const [newFigures, medianToAnchorMs] = await Promise.all([
      updateCounts(ctx, countedFigures, starts),
      store.readMedianToAnchor(ctx.db, starts.day),
    ])
    countedFigures = newFigures
    const unsentCounts = await store.countUnsentFreshAlerts(ctx.db, newFigures.last.lastIndex, starts)
    return questions.map(({ coverage }) => ({ ...toFigures(newFigures, unsentCounts, coverage), medianToAnchorMs }))
  })
  return (ctx, coverage) => readFigures({ ctx, coverage })
}

async function updateCounts(
  { db }: Pick<Context, 'db'>,
  previousFigures: CountedFigures,
  starts: store.WindowStarts,
): Promise<CountedFigures> {
  // If the clock was set back, alerts that had left a window may be in it again, so all are
  // recounted.
  const wasClockSetBack = starts.day < previousFigures.starts.day || starts.fresh < previousFigures.starts.fresh
  const { last, starts: from, counts } = wasClockSetBack ? { ...initialFigures, starts } : previousFigures
  const [{ last: newestAlert, isLost, ...addedCounts }, day, freshCounts] = await Promise.all([
    store.countAbove(db, last, starts),
    store.countLeavingWindow(db, last.lastIndex, { from: from.day, to: starts.day }),
    store.countLeavingWindow(db, last.lastIndex, { from: from.fresh, to: starts.fresh }),
  ])
  if (isLost) return updateCounts({ db }, initialFigures, starts)
  return {
    last: newestAlert,
    starts,
    counts: {
      all: addCounts(counts.all, addedCounts.all),
      day: subtractCounts(addCounts(counts.day, addedCounts.day), day),
      fresh: subtractCounts(addCounts(counts.fresh, addedCounts.fresh), freshCounts),
    },
  }
}

/**
 * @param unsentCounts counts of the fresh alerts that were not broadcast: of all, and of the last
 *   24 hours
 */
function toFigures(
  { counts, starts }: CountedFigures,
  unsentCounts: Pick<store.WindowCounts, 'day' | 'fresh'>,
  coverage: Coverage,
): Omit<AlertFigures, 'medianToAnchorMs'> {
  // If the public delay exceeds a day, every alert of the last 24 hours is fresh.
  const freshOfDay = starts.fresh < starts.day ? counts.day : counts.fresh
  const hiddenCounts = {
    all: { all: zeroCounts, day: zeroCounts },
    subscribed: { all: unsentCounts.fresh, day: unsentCounts.day },
    public: { all: counts.fresh, day: freshOfDay },
  }[coverage]
  const allCounts = subtractCounts(counts.all, hiddenCounts.all)
  const day = subtractCounts(counts.day, hiddenCounts.day)
  return {
    total: allCounts.total,
    critical: allCounts.critical,
    last24Hours: day.total,
    criticalLast24Hours: day.critical,
    averageConfidence: allCounts.total === 0 ? null : allCounts.confidenceTenths / allCounts.total / 10,
  }
}

function addCounts(a: store.Counts, b: store.Counts): store.Counts {
  return {
    total: a.total + b.total,
    critical: a.critical + b.critical,
    confidenceTenths: a.confidenceTenths + b.confidenceTenths,
  }
}

function subtractCounts(a: store.Counts, { total, critical, confidenceTenths }: store.Counts): store.Counts {
  return addCounts(a, { total: -total, critical: -critical, confidenceTenths: -confidenceTenths })
}
