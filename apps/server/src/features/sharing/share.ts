import { HOUR_MS } from '@tocsin/protocol/durations'

/**
 * Maximum number of links that an account can create in a day. Limits what it can disclose to
 * people without a subscription.
 */
export const MAX_SHARES_PER_DAY = 50

/** Returns when a link expires. With 0 hours, existing links disclose nothing. */
export function computeShareEndsAt(createdAt: Date, shareLinkHours: number): Date {
  return new Date(createdAt.getTime() + shareLinkHours * HOUR_MS)
}

/** The values that decide whether a token discloses an alert. */
export interface Share {
  logIndex: number
  createdAt: Date
  /** Set while the account that created the token is suspended. */
  suspendedAt: Date | null
}

/** True if the token discloses the alert, provided that its creator may read alerts now. */
export function isOpen(share: Share, index: number, shareLinkHours: number, now: Date): boolean {
  return (
    share.logIndex === index && share.suspendedAt === null && now < computeShareEndsAt(share.createdAt, shareLinkHours)
  )
}
