import { DAY_MS, WEEK_MS } from './durations.ts'
import type { Priority } from './finding.ts'

/**
 * Event time (ms) of the newest critical and of the newest high alert of each asset; 0 for never.
 * `spendBudget` uses these times to limit such alerts.
 */
export type UrgentAlertTimes = Record<string, { critical: number; high: number }>

/**
 * Returns the priority of an alert before `spendBudget` limits it. It depends on the score, the
 * confidence (0 to 1) and the share of assets that raised an alert in the last half hour.
 */
export function computeWantedPriority(score: number, confidence: number, breadth: number): Priority {
  const points = (score >= 4 ? 1 : 0) + (score >= 5 ? 1 : 0) + (confidence >= 0.5 ? 1 : 0) + (breadth >= 0.5 ? 1 : 0)
  return (['low', 'medium', 'high', 'critical', 'critical'] as const)[points] ?? 'low'
}

/**
 * Limits critical alerts to one a week per asset and high alerts to one a day. Beyond the limit,
 * the priority is lowered.
 */
export function spendBudget(
  budgets: UrgentAlertTimes,
  asset: string,
  requestedPriority: Priority,
  at: number,
): Priority {
  const lastTimes = budgets[asset] ?? { critical: 0, high: 0 }
  budgets[asset] = lastTimes
  if (requestedPriority === 'critical' && at - lastTimes.critical >= WEEK_MS) {
    lastTimes.critical = at
    return 'critical'
  }
  if (requestedPriority !== 'critical' && requestedPriority !== 'high') return requestedPriority
  if (at - lastTimes.high < DAY_MS) return 'medium'
  lastTimes.high = at
  return 'high'
}
