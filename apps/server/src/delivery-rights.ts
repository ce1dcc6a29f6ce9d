/** A potential recipient of an alert, with the rights at the time of sending. */
export interface Recipient {
  /** True if the account’s role can read all alerts without a subscription. */
  readsAll: boolean
  /** The running subscription, or null. */
  entitlement: { endsAt: Date } | null
}

/**
 * Decides until when an account gets alerts, in the live stream and through channels. Callers
 * decide at the moment of sending: for channels when a delivery is due, and again before each
 * attempt.
 * @returns ms since 1970; -Infinity if the account gets none, Infinity if there is no limit
 */
export function decideDeliveryRights({ readsAll, entitlement }: Recipient): number {
  if (readsAll) return Number.POSITIVE_INFINITY
  return entitlement?.endsAt.getTime() ?? Number.NEGATIVE_INFINITY
}
