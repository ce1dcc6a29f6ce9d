import type { endpoints, LogStats } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import type { Handler } from '../../http/route.ts'
import { publicUntil } from '../../public-delay.ts'
import { cacheByCost } from '../../stale-while-revalidate.ts'
import { anchorState } from './service.ts'
import * as store from './store.ts'
import { countAlertKinds, countOutcomes, countOwnKinds, readEntryCounts, readTimeToAnchor } from './store-figures.ts'

const MEASURED_DAYS = 30

/** GET /api/log/stats. */
export function createLogStats(): Handler<(typeof endpoints)['logStats']> {
  return cacheByCost(measureLog)
}

async function measureLog(ctx: Context): Promise<LogStats> {
  const now = ctx.clock.now()
  const since = new Date(now.getTime() - MEASURED_DAYS * DAY_MS)
  const publicAt = publicUntil(now, ctx.config.publicDelayHours)
  const [{ size }, entries, kinds, outcomes, own, keyLists, anchors, anchoring, timeToAnchor, firstEntryAt] =
    await Promise.all([
      store.findHead(ctx.db),
      readEntryCounts(ctx.db),
      countAlertKinds(ctx.db, publicAt),
      countOutcomes(ctx.db, publicAt),
      countOwnKinds(ctx.db),
      store.countKeyLists(ctx.db),
      store.countAnchors(ctx.db),
      anchorState(ctx),
      readTimeToAnchor(ctx.db, since),
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
    heartbeats: own.heartbeats,
    successions: own.successions,
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
