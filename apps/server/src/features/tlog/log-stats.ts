import type { endpoints, LogStats } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Handler } from '../../http/route.ts'
import { anchorState } from './service.ts'
import * as store from './store.ts'
import { countAlertKinds, readEntryCounts, readTimeToAnchor } from './store-figures.ts'

const DAY_MS = 86_400_000
const MEASURED_DAYS = 30
/** Counting a large log takes a while: it may take a twentieth of the time at most. */
const REST = 20

/** GET /api/log/stats. Figures are kept for as long as they are costly; who asks meanwhile gets the same ones. */
export function createLogStats(): Handler<(typeof endpoints)['logStats']> {
  let figures: Promise<LogStats> | null = null
  return async (ctx) => {
    if (figures) return figures
    const startedAt = performance.now()
    const asked = measureLog(ctx)
    figures = asked
    const forget = () => {
      figures = null
    }
    asked.then(() => setTimeout(forget, (performance.now() - startedAt) * REST).unref(), forget)
    return asked
  }
}

async function measureLog(ctx: Context): Promise<LogStats> {
  const since = new Date(ctx.clock.now().getTime() - MEASURED_DAYS * DAY_MS)
  const [{ size }, entries, kinds, keyLists, anchors, anchoring, timeToAnchor, firstEntryAt] = await Promise.all([
    store.findHead(ctx.db),
    readEntryCounts(ctx.db),
    countAlertKinds(ctx.db),
    store.countKeyLists(ctx.db),
    store.countAnchors(ctx.db),
    anchorState(ctx),
    readTimeToAnchor(ctx.db, since),
    store.findEntryTime(ctx.db, 0),
  ])
  return {
    size,
    entriesStored: entries.stored,
    gaps: entries.gaps,
    alerts: kinds.alert,
    corrections: kinds.correction,
    retractions: kinds.retraction,
    keyLists,
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
