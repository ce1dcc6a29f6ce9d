import type { RequestBody, RulesPreview } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import type { Actor } from '../../http/route.ts'
import { findReadAccess } from '../access/read-access.ts'
import { listIssued } from '../alerts/service.ts'
import { listChannelPreferences } from '../preferences/store.ts'
import { fromLocalMs, localDayMs, toLocalMs } from './local-time.ts'
import {
  completeRules,
  findCoolDownReason,
  findExcludingRule,
  isHourFull,
  SentHistory,
  type TargetState,
} from './rules.ts'

const DAYS = 7
const MAX_LISTED = 100

/**
 * Returns which alerts the rules would have allowed since the local midnight six days ago. Uses
 * issued alerts that the account may read now: without a plan, these are the public ones.
 */
export async function previewRules(
  ctx: Context,
  actor: Actor,
  { rules: wanted, timeZone }: RequestBody<'previewRules'>,
): Promise<RulesPreview> {
  const rules = completeRules(wanted)
  const todayMs = localDayMs(toLocalMs(ctx.clock.now(), timeZone))
  const days = Array.from({ length: DAYS }, (_, index) => todayMs - (DAYS - 1 - index) * DAY_MS)
  const [first = todayMs] = days
  const [issued, preferences] = await Promise.all([
    listIssued(ctx, await findReadAccess(ctx, actor), fromLocalMs(first, timeZone)),
    listChannelPreferences(ctx.db, [actor.accountId]),
  ])
  const watchlist = preferences.get(actor.accountId)?.watchlist ?? []
  const sentHistory = new SentHistory()
  const states = new Map<number, TargetState>()
  const ofDays = new Map(days.map((dayMs) => [dayMs, 0]))
  const matchingAlerts = issued.filter((alert) => {
    const of = { ...alert, isOutcome: false, target: states.get(alert.targetIndex ?? -1) ?? null }
    const at = alert.broadcastAt
    if (findExcludingRule(rules, watchlist, of) ?? findCoolDownReason(rules, of, at, sentHistory.lastLike(alert)))
      return false
    // An alert above the hourly limit is sent too, in the digest of that hour.
    const isHeld = isHourFull(rules, of, at, sentHistory.ofHour(at))
    states.set(alert.logIndex, isHeld ? 'held' : 'sent')
    if (!isHeld && alert.kind === 'alert') sentHistory.add({ at, asset: alert.asset, anomalyType: alert.anomalyType })
    const dayMs = localDayMs(toLocalMs(at, timeZone))
    ofDays.set(dayMs, (ofDays.get(dayMs) ?? 0) + 1)
    return true
  })
  const verdicts = matchingAlerts.map(({ verdict }) => verdict)
  return {
    count: matchingAlerts.length,
    inSummaries: [...states.values()].filter((state) => state === 'held').length,
    days: days.map((dayMs) => ({
      day: new Date(dayMs).toISOString().slice(0, 10),
      count: ofDays.get(dayMs) ?? 0,
    })),
    cameTrue: verdicts.filter((verdict) => verdict === 'came-true').length,
    didNot: verdicts.filter((verdict) => verdict === 'did-not').length,
    open: matchingAlerts.filter(({ verdict, isPrediction }) => isPrediction && verdict === null).length,
    alerts: matchingAlerts
      .slice(-MAX_LISTED)
      .reverse()
      .map(({ id, logIndex, asset, anomalyType, priority, confidence, broadcastAt }) => ({
        id,
        logIndex,
        asset,
        anomalyType,
        priority,
        confidence,
        at: broadcastAt.toISOString(),
      })),
  }
}
