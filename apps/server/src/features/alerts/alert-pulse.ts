import type { endpoints } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import type { Handler } from '../../http/route.ts'
import { cacheByCost } from '../../stale-while-revalidate.ts'
import { readAccessOf } from '../access/read-access.ts'
import * as store from './pulse-store.ts'

/** GET /api/alerts/pulse. */
export function createAlertPulse(): Handler<(typeof endpoints)['alertPulse']> {
  return cacheByCost(readPulse)
}

async function readPulse(ctx: Context) {
  const now = ctx.clock.now()
  const since = new Date(now.getTime() - DAY_MS)
  const access = readAccessOf(ctx, false)
  const [highestPriorities, counts] = await Promise.all([
    store.listHighestPriorities(ctx.db, access, since),
    store.countPriorities(ctx.db, access, since),
  ])
  return {
    items: highestPriorities.map(({ createdAt, priority }) => ({ createdAt: createdAt.toISOString(), priority })),
    counts,
    until: now.toISOString(),
    publicDelayHours: ctx.config.publicDelayHours,
  }
}
