/** A potential recipient of an alert, as known when it is sent. */
export interface Recipient {
  isAdmin: boolean
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
  untilMs: number
}

/**
 * Decides who gets alerts and through which channels. Pure, and called at the moment of sending. A
 * further channel (mail, push, webhook) is a further field, with the account's choice as part of
 * the recipient.
 */
export function decideDelivery({ isAdmin, entitlement }: Recipient): Delivery {
  if (isAdmin) return { inApp: true, untilMs: Number.POSITIVE_INFINITY }
  if (!entitlement) return { inApp: false, untilMs: Number.NEGATIVE_INFINITY }
  return { inApp: true, untilMs: entitlement.endsAt.getTime() }
}
