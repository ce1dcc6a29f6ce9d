import { type Alert, type Priority, priorities } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { findHold } from './decide-destination.ts'
import { getRank } from './destination.ts'
import * as held from './held-store.ts'
import { createAlertMessage } from './kinds/message.ts'
import type { OutgoingMessage } from './send.ts'
import * as store from './store.ts'

/** Maximum number of alerts in one digest. Further alerts are sent in further digests. */
const MAX_DIGEST_ALERTS = 100

/**
 * Time limit of one pass, because new alerts wait for its end. At a full hour, thousands of digests
 * may be due.
 */
const PASS_LIMIT_MS = 100

/**
 * Starts the digests that are due. A digest has no separate row: one of its held rows becomes
 * waiting and carries the message with all alerts. That row is sent, retried and recorded like any
 * other delivery.
 * @returns true if the time ran out before all digests were started
 */
export async function startDigests(ctx: Context, now: Date): Promise<boolean> {
  const dueDestinationIds = await held.listDigestsDue(ctx.db, now)
  const endMs = performance.now() + PASS_LIMIT_MS
  for (const [index, destinationId] of dueDestinationIds.entries()) {
    // Starts at least one digest, even if the database is slow.
    if (index > 0 && performance.now() > endMs) return true
    await ctx.db.transaction(async (tx) => {
      const destination = await store.lockDestination(tx, destinationId)
      if (destination?.state !== 'on') return
      // A mute or quiet hours may have begun, or been extended, since the rows were held.
      const hold = findHold(destination, null, now)
      if (hold) return held.postponeHeld(tx, destinationId, now, hold.until)
      const rows = await held.listHeldDue(tx, destinationId, now, MAX_DIGEST_ALERTS)
      const sharedDigestIds = rows.flatMap(({ id, mayHaveArrived }) => (mayHaveArrived ? [] : [id]))
      const senderId = sharedDigestIds.at(-1)
      if (senderId !== undefined) await held.startDigest(tx, sharedDigestIds, senderId, now)
      // An alert that may have arrived gets a separate digest. Such a digest has the id of the
      // alert, so that the receiver recognises a duplicate.
      for (const { id, mayHaveArrived } of rows) {
        if (mayHaveArrived) await held.startDigest(tx, [id], id, now)
      }
    })
  }
  return false
}

export interface DigestEntry {
  alert: Alert
  logIndex: number
  isOutcome: boolean
}

/**
 * Writes one message with all alerts of a digest. `message` has the most urgent alert first, `data`
 * keeps the order of `entries`.
 */
export function createDigestMessage(id: string, entries: readonly DigestEntry[], publicUrl: string): OutgoingMessage {
  const sortedEntries = [...entries].sort(
    (a, b) => getRank(b.alert.priority) - getRank(a.alert.priority) || b.logIndex - a.logIndex,
  )
  const alerts = sortedEntries.map((entry) => createAlertMessage({ ...entry, publicUrl }))
  const heading = formatHeading(entries.map(({ alert }) => alert.priority))
  return {
    id,
    type: 'alert.digest',
    data: {
      alerts: entries.map(({ alert, logIndex, isOutcome }) => ({
        logIndex,
        isOutcome,
        alert,
        link: `${publicUrl}/a/${alert.logIndex}`,
      })),
    },
    message: { digest: { heading, alerts, link: `${publicUrl}/notifications` } },
  }
}

/** Returns a heading such as "12 alerts were held back: 1 critical, 11 medium". */
export function formatHeading(alertPriorities: readonly Priority[]): string {
  const counts = [...priorities].reverse().flatMap((priority) => {
    const count = alertPriorities.filter((alertPriority) => alertPriority === priority).length
    return count === 0 ? [] : [`${count} ${priority}`]
  })
  return `${alertPriorities.length === 1 ? '1 alert was' : `${alertPriorities.length} alerts were`} held back: ${counts.join(', ')}`
}
