/** A potential recipient of an alert, as known when it is sent. */
export interface Recipient {
  /** True if the account’s role reads all alerts. */
  readsAll: boolean
  /** The running subscription, if any. */
  entitlement: { endsAt: Date } | null
}

/** The delivery channels of one account and how long the decision holds, in ms since 1970. */
export interface Delivery {
  /**
   * Live stream. The account's notification settings apply in the page only and never hide alerts
   * from lists.
   */
  inApp: boolean
  /** Destinations outside of the page, such as webhooks. */
  channels: boolean
  untilMs: number
}

/**
 * Decides who gets alerts and through which channels. Pure, and called at the moment of sending:
 * for channels once when a delivery is due, and again before each attempt.
 */
export function decideDelivery({ readsAll, entitlement }: Recipient): Delivery {
  if (readsAll) return { inApp: true, channels: true, untilMs: Number.POSITIVE_INFINITY }
  if (!entitlement) return { inApp: false, channels: false, untilMs: Number.NEGATIVE_INFINITY }
  return { inApp: true, channels: true, untilMs: entitlement.endsAt.getTime() }
}
