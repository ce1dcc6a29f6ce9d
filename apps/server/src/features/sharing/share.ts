import { HOUR_MS } from '@tocsin/protocol/durations'

/** Limits what one account can disclose to people without a subscription. */
export const MOST_SHARES_PER_DAY = 50

/** When a link expires. With 0 hours, existing links disclose nothing. */
export function shareEndsAt(createdAt: Date, shareLinkHours: number): Date {
  return new Date(createdAt.getTime() + shareLinkHours * HOUR_MS)
}

/** What decides whether a token discloses an alert. */
export interface Share {
  logIndex: number
  createdAt: Date
  /** Set while the account of the sharer is suspended. */
  suspendedAt: Date | null
}

/**
 * True if the token may disclose the alert, provided that its creator may read alerts at this
 * moment.
 */
export function isOpen(share: Share, index: number, shareLinkHours: number, now: Date): boolean {
  return share.logIndex === index && share.suspendedAt === null && now < shareEndsAt(share.createdAt, shareLinkHours)
}
