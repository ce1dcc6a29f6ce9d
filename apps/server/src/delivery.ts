/** Somebody whom an alert may concern: what is known of the account when it is sent. */
export interface Recipient {
  isAdmin: boolean
  /** The running subscription. */
  entitlement: { endsAt: Date } | null
}

/** The ways by which alerts go to one account, and until when that holds, in ms since 1970. */
export interface Delivery {
  /** The stream. The account's page decides how loudly it tells of an alert; it withholds none from the lists. */
  inApp: boolean
  untilMs: number
}

/**
 * Who gets alerts, and by which ways: the one place where that is decided. Pure, so that whoever sends asks it at the moment of sending. A further way (mail, push,
 * a webhook) is a further field, with the account's choice of it among what is known of the recipient.
 */
export function decideDelivery({ isAdmin, entitlement }: Recipient): Delivery {
  if (isAdmin) return { inApp: true, untilMs: Number.POSITIVE_INFINITY }
  if (!entitlement) return { inApp: false, untilMs: Number.NEGATIVE_INFINITY }
  return { inApp: true, untilMs: entitlement.endsAt.getTime() }
}
