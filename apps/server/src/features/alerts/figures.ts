import { DAY_MS } from '@tocsin/protocol/durations'
import { coalesce } from '../../coalesce.ts'
import type { Context } from '../../context.ts'
import { publicCutoffAt } from '../../public-delay.ts'
import * as store from './store.ts'

/**
 * The alerts that the figures cover: public alerts, alerts that subscribers may read, or all alerts
 * including unsent drafts.
 */
export type Coverage = 'public' | 'subscribed' | 'all'

/** Averages in percent; null if there is nothing to measure. */
export interface AlertFigures {
  total: number
  critical: number
  last24Hours: number
  criticalLast24Hours: number
  averageConfidence: number | null
  medianToAnchorMs: number | null
}

/** Counts of the alerts up to a log index: of all alerts, and of two time windows. */
interface CountedFigures {
  lastIndex: number
  starts: store.WindowStarts
  counts: store.WindowCounts
}

interface Question {
  ctx: Context
  coverage: Coverage
}

const BATCHING = { most: 500, pauseMs: 20 }
const none: store.Counts = { total: 0, critical: 0, confidenceTenths: 0 }
const nothingCounted: store.WindowCounts = { all: none, day: none, fresh: none }
const firstCount: CountedFigures = {
  lastIndex: -1,
  starts: { day: new Date(0), fresh: new Date(0) },
  counts: nothingCounted,
}

/**
 * Creates a function that computes alert figures incrementally: each query costs only what changed
 * since the previous query. A logged alert never changes, and alerts become visible in log order.
 * So the counts add the alerts above the last counted index and subtract those that have become too
 * old for a window. Fresh alerts that were not broadcast may still be broadcast, so they are
 * counted each time with a dedicated index.
 */
export function createAlertFigures(): (ctx: Context, coverage: Coverage) => Promise<AlertFigures> {
  let countedFigures = firstCount
  const ask = coalesce(BATCHING, async (questions: Question[]) => {
    const [first] = questions
    if (!first) return []
    const { ctx } = first
    const now = ctx.clock.now()
    const publicCutoff = publicCutoffAt(now, ctx.config.publicDelayHours)
    const starts = {
      day: new Date(now.getTime() - DAY_MS),
      // Times have millisecond precision, so this is the earliest time that is not public yet.
      fresh: new Date(publicCutoff.getTime() + 1),
    }
    const [next, medianToAnchorMs] = await Promise.all([
      countOn(ctx, countedFigures, starts),
      store.readMedianToAnchor(ctx.db, starts.day),
    ])
    countedFigures = next
    const unsent = await store.countUnsent(ctx.db, next.lastIndex, starts)
    return questions.map(({ coverage }) => ({ ...toFigures(next, unsent, coverage), medianToAnchorMs }))
  })
  return (ctx, coverage) => ask({ ctx, coverage })
}

async function countOn({ db }: Context, before: CountedFigures, starts: store.WindowStarts): Promise<CountedFigures> {
  // If the clock was set back, alerts that had left a window may be in it again, so all are
  // recounted.
  const isBack = starts.day < before.starts.day || starts.fresh < before.starts.fresh
  const { lastIndex, starts: from, counts } = isBack ? { ...firstCount, starts } : before
  const [{ lastIndex: newest, ...come }, day, freshCounts] = await Promise.all([
    store.countAbove(db, lastIndex, starts),
    store.countAged(db, lastIndex, { from: from.day, to: starts.day }),
    store.countAged(db, lastIndex, { from: from.fresh, to: starts.fresh }),
  ])
  return {
    lastIndex: newest ?? lastIndex,
    starts,
    counts: {
      all: sum(counts.all, come.all),
      day: subtractCounts(sum(counts.day, come.day), day),
      fresh: subtractCounts(sum(counts.fresh, come.fresh), freshCounts),
    },
  }
}

/**
 * @param unsent counts of the fresh alerts that were not broadcast: of all, and of the last 24
 *   hours
 */
function toFigures(
  { counts, starts }: CountedFigures,
  unsent: Pick<store.WindowCounts, 'day' | 'fresh'>,
  coverage: Coverage,
): Omit<AlertFigures, 'medianToAnchorMs'> {
  // If the public delay exceeds a day, every alert of the last 24 hours is fresh.
  const freshOfDay = starts.fresh < starts.day ? counts.day : counts.fresh
  const hidden = {
    all: { all: none, day: none },
    subscribed: { all: unsent.fresh, day: unsent.day },
    public: { all: counts.fresh, day: freshOfDay },
  }[coverage]
  const all = subtractCounts(counts.all, hidden.all)
  const day = subtractCounts(counts.day, hidden.day)
  return {
    total: all.total,
    critical: all.critical,
    last24Hours: day.total,
    criticalLast24Hours: day.critical,
    averageConfidence: all.total === 0 ? null : all.confidenceTenths / all.total / 10,
  }
}

function sum(a: store.Counts, b: store.Counts): store.Counts {
  return {
    total: a.total + b.total,
    critical: a.critical + b.critical,
    confidenceTenths: a.confidenceTenths + b.confidenceTenths,
  }
}

function subtractCounts(a: store.Counts, { total, critical, confidenceTenths }: store.Counts): store.Counts {
  return sum(a, { total: -total, critical: -critical, confidenceTenths: -confidenceTenths })
}
