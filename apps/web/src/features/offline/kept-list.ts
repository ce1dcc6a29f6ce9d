import { type Alert, type ListedAlert, listedAlert, type ReadableAlert } from '@tocsin/protocol'
import { z } from 'zod'

/** The newest alerts that are kept for reading offline. */
export const maxKept = 200

/** The alerts of an answer that its reader may read in full. Locked rows are not kept. */
export function readableOf(items: readonly ListedAlert[]): ListedAlert[] {
  return items.filter(({ alert }) => !('locked' in alert))
}

/**
 * Adds new and changed alerts, newest first.
 * @param newestIndex log index of the newest alert when the server was asked for `kept`. It did not
 *   answer with older alerts that are missing there, because the account may not read them.
 */
export function mergeKept(
  kept: readonly ListedAlert[],
  recent: readonly ReadableAlert[],
  newestIndex: number,
): ListedAlert[] {
  const byId = new Map(kept.map((entry) => [entry.id, entry]))
  const readable = recent.filter((alert): alert is Alert => !('locked' in alert))
  for (const alert of readable) {
    if (alert.logIndex <= newestIndex && !byId.has(alert.id)) continue
    byId.set(alert.id, { id: alert.id, alert, isRead: byId.get(alert.id)?.isRead ?? false })
  }
  return [...byId.values()].sort((a, b) => b.alert.logIndex - a.alert.logIndex).slice(0, maxKept)
}

/** Null if another version of the site wrote them in a format that this one does not know. */
export function parseKept(alerts: unknown): ListedAlert[] | null {
  const parsed = z.array(listedAlert).safeParse(alerts)
  return parsed.success ? parsed.data : null
}
