import type { RequestBody, RulesPreview } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import type { Actor } from '../../http/route.ts'
import { findReadAccess } from '../access/read-access.ts'
import { listBroadcastAlerts } from '../alerts/service.ts'
import { listChannelPreferences } from '../preferences/store.ts'
import { localDayMs, toLocalMs, toUtcDate } from './local-time.ts'
import {
  completeRules,
  findCoolDownReason,
  findExcludingRule,
  isHourlyLimitReached,
  SentHistory,
  type TargetState,
} from './rules.ts'

const DAYS = 7
const MAX_LISTED_ALERTS = 100

/**
 * Returns which alerts the rules would have allowed since the local midnight six days ago. Reads
 * broadcast alerts that the account may read now: without a plan, these are the public ones. If
 * there are more than 20,000, the oldest of them are left out.
 */
export async function previewRules(
  ctx: Context,
  actor: Actor,
  { rules: requestedRules, timeZone }: RequestBody<'previewRules'>,
): Promise<RulesPreview> {
  const rules = completeRules(requestedRules)
  const todayMs = localDayMs(toLocalMs(ctx.clock.now(), timeZone))
  const days = Array.from({ length: DAYS }, (_, index) => todayMs - (DAYS - 1 - index) * DAY_MS)
  const [first = todayMs] = days
  const [issuedAlerts, preferences] = await Promise.all([
    listBroadcastAlerts(ctx, await findReadAccess(ctx, actor), toUtcDate(first, timeZone)),
    listChannelPreferences(ctx.db, [actor.accountId]),
  ])
  const watchlist = preferences.get(actor.accountId)?.watchlist ?? []
  const sentHistory = new SentHistory()
  const targetStates = new Map<number, TargetState>()
  const countsByDay = new Map(days.map((dayMs) => [dayMs, 0]))
  const matchingAlerts = issuedAlerts.filter((alert) => {
    const subject = { ...alert, isOutcome: false, target: targetStates.get(alert.targetIndex ?? -1) ?? null }
    const at = alert.broadcastAt
    if (
      findExcludingRule(rules, watchlist, subject) ??
      findCoolDownReason(rules, subject, at, sentHistory.findLastSimilar(alert))
    )
      return false
    // An alert above the hourly limit is sent too, in the digest of that hour.
    const isHeld = isHourlyLimitReached(rules, subject, at, sentHistory.listSentInHour(at))
    targetStates.set(alert.logIndex, isHeld ? 'held' : 'sent')
    if (!isHeld && alert.kind === 'alert') sentHistory.add({ at, asset: alert.asset, anomalyType: alert.anomalyType })
    const dayMs = localDayMs(toLocalMs(at, timeZone))
    countsByDay.set(dayMs, (countsByDay.get(dayMs) ?? 0) + 1)
    return true
  })
  const verdicts = matchingAlerts.map(({ verdict }) => verdict)
  return {
    count: matchingAlerts.length,
    inSummaries: [...targetStates.values()].filter((state) => state === 'held').length,
    days: days.map((dayMs) => ({
      day: new Date(dayMs).toISOString().slice(0, 10),
      count: countsByDay.get(dayMs) ?? 0,
    })),
    cameTrue: verdicts.filter((verdict) => verdict === 'came-true').length,
    didNot: verdicts.filter((verdict) => verdict === 'did-not').length,
    open: matchingAlerts.filter(({ verdict, isPrediction }) => isPrediction && verdict === null).length,
    alerts: matchingAlerts
      .slice(-MAX_LISTED_ALERTS)
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
