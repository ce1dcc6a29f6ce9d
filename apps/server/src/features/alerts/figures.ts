import { askTogether } from '../../ask-together.ts'
import type { Context } from '../../context.ts'
import * as store from './store.ts'

/** Averages in percent, over all alerts; null stands for nothing to measure yet. */
export interface AlertFigures {
  total: number
  critical: number
  last24Hours: number
  criticalLast24Hours: number
  averageConfidence: number | null
  medianToAnchorMs: number | null
}

/** What is known of the alerts up to a log index, and of those among them that were made since then. */
interface Counted {
  lastIndex: number
  since: Date
  all: store.Counts
  recent: store.Counts
}

const DAY_MS = 86_400_000
const OF_A_CROWD = { most: 500, pauseMs: 20 }
const none: store.Counts = { total: 0, critical: 0, confidenceTenths: 0 }

/**
 * Figures that are read from the tables at each question, and cost what has changed since the one before: an alert never changes once it is logged, and they
 * become visible in the order of the log. So only those above the last counted index are added, and those that have become older than a day meanwhile are
 * taken off.
 */
export function createAlertFigures(): (ctx: Context) => Promise<AlertFigures> {
  let counted: Counted = { lastIndex: -1, since: new Date(0), all: none, recent: none }
  return askTogether(OF_A_CROWD, async (askers: Context[]) => {
    const [ctx] = askers
    if (!ctx) return []
    const since = new Date(ctx.clock.now().getTime() - DAY_MS)
    const [next, medianToAnchorMs] = await Promise.all([
      countOn(ctx, counted, since),
      store.readMedianToAnchor(ctx.db, since),
    ])
    counted = next
    const { all, recent } = next
    const figures = {
      total: all.total,
      critical: all.critical,
      last24Hours: recent.total,
      criticalLast24Hours: recent.critical,
      averageConfidence: all.total === 0 ? null : all.confidenceTenths / all.total / 10,
      medianToAnchorMs,
    }
    return askers.map(() => figures)
  })
}

async function countOn({ db }: Context, before: Counted, since: Date): Promise<Counted> {
  // A clock that was set back: what was taken off may count again.
  const known = since < before.since ? { ...before, lastIndex: -1, all: none, recent: none } : before
  const [{ lastIndex, all, recent }, aged] = await Promise.all([
    store.countAbove(db, known.lastIndex, since),
    store.countAged(db, known.lastIndex, { from: known.since, to: since }),
  ])
  return {
    lastIndex: lastIndex ?? known.lastIndex,
    since,
    all: add(known.all, all),
    recent: add(known.recent, recent, aged),
  }
}

function add(known: store.Counts, come: store.Counts, gone: store.Counts = none): store.Counts {
  return {
    total: known.total + come.total - gone.total,
    critical: known.critical + come.critical - gone.critical,
    confidenceTenths: known.confidenceTenths + come.confidenceTenths - gone.confidenceTenths,
  }
}
