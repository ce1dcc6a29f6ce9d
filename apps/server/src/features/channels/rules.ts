import { type Alert, allAlerts, type DeliveryRules } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { getRank } from './destination.ts'

/** The fields of an alert that the rules compare. */
export interface Subject extends Pick<Alert, 'asset' | 'anomalyType' | 'regime' | 'priority' | 'confidence' | 'kind'> {
  /** True for an outcome. It follows the rules of its alert, except the cool-down. */
  isOutcome: boolean
  /**
   * The state of the alert that is corrected or retracted, or null if the destination does not get
   * it. Always null for alerts and outcomes.
   */
  target: TargetState | null
}

/** `held`: the destination gets the alert later, in a digest. */
export type TargetState = 'sent' | 'held'

/** An alert that has been sent to the destination, or waits to be sent. */
export interface SentAlert {
  at: Date
  asset: string
  anomalyType: string
}

/** Adds the defaults of fields that stored rules lack because they are older than the fields. */
export const completeRules = (rules: Partial<DeliveryRules>): DeliveryRules => ({ ...allAlerts, ...rules })

/**
 * Returns why the rules exclude an alert from a destination, or null. The reason names the rule but
 * no details of the alert.
 * @param watchlist the assets that the account watches
 */
export function findExcludingRule(rules: DeliveryRules, watchlist: readonly string[], subject: Subject): string | null {
  // The recipients of an alert must learn that it was wrong, whatever its correction contains.
  if (subject.target !== null) return null
  const { assets, types, regimes, lowestPriority, lowestConfidence } = rules
  const restrictsAssets = assets.length > 0 || rules.watchlist
  const isAllowed = assets.includes(subject.asset) || (rules.watchlist && watchlist.includes(subject.asset))
  if (restrictsAssets && !isAllowed) return 'Rule: asset not selected'
  if (types.length > 0 && !types.includes(subject.anomalyType)) return 'Rule: type not selected'
  if (regimes.length > 0 && !regimes.includes(subject.regime)) return 'Rule: regime not selected'
  if (getRank(subject.priority) < getRank(lowestPriority)) return `Rule: below ${lowestPriority} priority`
  if (subject.confidence < lowestConfidence) return `Rule: confidence below ${lowestConfidence}%`
  return null
}

/**
 * Returns the reason to skip an alert if one of the same asset and type was sent within the
 * cool-down, otherwise null.
 */
export function findCoolDownReason(
  { coolDownMinutes }: DeliveryRules,
  { asset, anomalyType, kind, isOutcome }: Subject,
  at: Date,
  sentAlerts: readonly SentAlert[],
): string | null {
  // Corrections, retractions and outcomes are exempt, because they belong to an alert that was
  // sent.
  if (coolDownMinutes === 0 || kind !== 'alert' || isOutcome) return null
  const sinceMs = at.getTime() - coolDownMinutes * MINUTE_MS
  const isRepeated = sentAlerts.some(
    (sentAlert) =>
      sentAlert.asset === asset && sentAlert.anomalyType === anomalyType && sentAlert.at.getTime() > sinceMs,
  )
  return isRepeated ? `Rule: cool-down of ${coolDownMinutes} min` : null
}

/**
 * True if the maximum number of alerts was already sent in this hour of the clock. A correction or
 * retraction of an alert that was sent is exempt.
 */
export function isHourlyLimitReached(
  { mostPerHour }: DeliveryRules,
  { target }: Pick<Subject, 'target'>,
  at: Date,
  sentAlerts: readonly SentAlert[],
): boolean {
  if (mostPerHour === null || target === 'sent') return false
  const hourMs = Math.floor(at.getTime() / HOUR_MS) * HOUR_MS
  return sentAlerts.filter((sentAlert) => sentAlert.at.getTime() >= hourMs).length >= mostPerHour
}

/**
 * The alerts that were sent before, added oldest first. Stores only the alerts that rules compare
 * with: a week may have thousands of alerts, and the rules are checked for each of them.
 */
export class SentHistory {
  readonly #last = new Map<string, SentAlert>()
  #hour: { hourMs: number; sent: SentAlert[] } = { hourMs: 0, sent: [] }

  add(sentAlert: SentAlert): void {
    this.#last.set(formatKey(sentAlert), sentAlert)
    this.listSentInHour(sentAlert.at).push(sentAlert)
  }

  /** Returns the last alert with the same asset and type. */
  findLastSimilar(subject: Omit<SentAlert, 'at'>): SentAlert[] {
    const lastAlert = this.#last.get(formatKey(subject))
    return lastAlert ? [lastAlert] : []
  }

  listSentInHour(at: Date): SentAlert[] {
    const hourMs = Math.floor(at.getTime() / HOUR_MS) * HOUR_MS
    if (this.#hour.hourMs !== hourMs) this.#hour = { hourMs, sent: [] }
    return this.#hour.sent
  }
}

const formatKey = ({ asset, anomalyType }: Omit<SentAlert, 'at'>) => JSON.stringify([asset, anomalyType])
