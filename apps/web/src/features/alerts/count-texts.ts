import type { LimitedCount } from '@tocsin/protocol'
import { formatCount } from '../../ui/count.ts'

/** Formats a number of alerts: "37", or "1,000+" if there are more than were counted. */
export function formatLimitedCount({ count, isMore }: LimitedCount): string {
  return `${formatCount(count)}${isMore ? '+' : ''}`
}

/** Formats a number of alerts with its noun: "1 alert", "37 alerts". */
export function formatAlertCount(limitedCount: LimitedCount): string {
  return `${formatLimitedCount(limitedCount)} ${limitedCount.count === 1 && !limitedCount.isMore ? 'alert' : 'alerts'}`
}
