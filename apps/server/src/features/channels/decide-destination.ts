import type { DeliveryRules, DigestTimes, QuietHours } from '@tocsin/protocol'
import { formatTime } from '../../mail/compose.ts'
import { getRank, isTooOld } from './destination.ts'
import { computeEndOfHour, computeNextDigestAt, findQuietEnd } from './quiet-hours.ts'
import { findCoolDownReason, findExcludingRule, isHourlyLimitReached, type SentAlert, type Subject } from './rules.ts'

/** The owner's settings of a destination at the time of the decision. */
export interface DeliverySettings {
  rules: DeliveryRules
  watchlist: readonly string[]
  mutedUntil: Date | null
  quietHours: QuietHours | null
  /** Null if each alert is sent immediately. */
  digest: DigestTimes | null
}

/** `held`: the alert is sent at `until`, in a digest. */
export type Decision =
  | { state: 'waiting'; reason: string }
  | { state: 'skipped'; reason: string }
  | { state: 'held'; reason: string; until: Date }

export const WAITING = { state: 'waiting', reason: 'Waits to be sent' } as const
export const TOO_OLD_REASON = 'Too old to send individually, included in a digest'

/**
 * Decides whether a destination that is on gets an alert immediately, in a digest, or not at all.
 * Pure. Call `decideDeliveryRights` first: without a plan, nothing is sent, whatever the settings
 * are.
 * @param at when the alert was broadcast
 * @param sentAlerts alerts that the destination got before, at least those of this hour and of the
 * cool-down
 */
export function decideDestination(
  settings: DeliverySettings,
  alert: Subject,
  at: Date,
  now: Date,
  sentAlerts: readonly SentAlert[],
): Decision {
  const { rules, watchlist, digest } = settings
  const skipReason = findExcludingRule(rules, watchlist, alert) ?? findCoolDownReason(rules, alert, at, sentAlerts)
  if (skipReason !== null) return { state: 'skipped', reason: skipReason }
  const hold = findHold(settings, alert, now)
  if (hold !== null) return { state: 'held', ...hold }
  if (digest !== null) {
    return { state: 'held', reason: 'Included in the next digest', until: computeNextDigestAt(digest, now) }
  }
  if (isTooOld(at, getRank(alert.priority), now)) return { state: 'held', reason: TOO_OLD_REASON, until: now }
  if (isHourlyLimitReached(rules, alert, at, sentAlerts)) {
    const reason = `Rule: at most ${rules.mostPerHour} per hour, included in the digest of the hour`
    // The hour of the alert may already be over. The digest is then due immediately.
    return { state: 'held', reason, until: computeEndOfHour(at) }
  }
  return WAITING
}

/**
 * Decides again at the moment of sending, because the owner may have changed the rules or quiet
 * hours may have begun since the first decision. Limits that count several alerts are not checked
 * again. Pure.
 */
export function decideBeforeSending(settings: DeliverySettings, alert: Subject, now: Date): Decision {
  const skipReason = findExcludingRule(settings.rules, settings.watchlist, alert)
  if (skipReason !== null) return { state: 'skipped', reason: skipReason }
  const hold = findHold(settings, alert, now)
  return hold === null ? WAITING : { state: 'held', ...hold }
}

/**
 * Returns the time until which mutes and quiet hours hold an alert back, or null. `alert` is null
 * for a digest.
 */
export function findHold(
  { mutedUntil, quietHours }: Pick<DeliverySettings, 'mutedUntil' | 'quietHours'>,
  alert: Pick<Subject, 'priority'> | null,
  now: Date,
): { until: Date; reason: string } | null {
  const muteEndsAt = mutedUntil !== null && mutedUntil > now ? mutedUntil : null
  const passesQuietHours = quietHours?.criticalPasses === true && alert?.priority === 'critical'
  const quietEndsAt = quietHours === null || passesQuietHours ? null : findQuietEnd(quietHours, now)
  if (muteEndsAt !== null && (quietEndsAt === null || muteEndsAt >= quietEndsAt)) {
    return { until: muteEndsAt, reason: `Muted until ${formatTime(muteEndsAt)}, included in the digest` }
  }
  return quietEndsAt === null
    ? null
    : { until: quietEndsAt, reason: `Quiet hours until ${formatTime(quietEndsAt)}, included in the digest` }
}
