/** A potential recipient of an alert, with the rights at the time of sending. */
export interface Recipient {
  /** True if the account’s role can read all alerts without a subscription. */
  readsAll: boolean
  /** The running subscription, or null. */
  entitlement: { endsAt: Date } | null
}

/** Where an account gets alerts. Valid until `untilMs`, in ms since 1970. */
export interface DeliveryRights {
  /**
   * True if the account gets alerts in the live stream. The account's notification settings apply
   * only in the page and never hide alerts from lists.
   */
  inApp: boolean
  /** True if destinations outside of the page get alerts, such as webhooks. */
  channels: boolean
  untilMs: number
}

/**
 * Decides whether an account gets alerts, and through which channels. Callers decide at the moment
 * of sending: for channels when a delivery is due, and again before each attempt.
 */
export function decideDeliveryRights({ readsAll, entitlement }: Recipient): DeliveryRights {
  if (readsAll) return { inApp: true, channels: true, untilMs: Number.POSITIVE_INFINITY }
  if (!entitlement) return { inApp: false, channels: false, untilMs: Number.NEGATIVE_INFINITY }
  return { inApp: true, channels: true, untilMs: entitlement.endsAt.getTime() }
}
