import { type Alert, type ListedAlert, listedAlert, type ReadableAlert } from '@tocsin/protocol'
import { z } from 'zod'

/** Maximum number of alerts that are stored for reading offline. */
export const maxOfflineAlerts = 200

/** Returns the alerts that the account can read in full. Locked rows are not stored. */
export function getReadable(items: readonly ListedAlert[]): ListedAlert[] {
  return items.filter(({ alert }) => !('locked' in alert))
}

/**
 * Adds new and changed alerts, newest first.
 * @param newestIndex log index of the newest alert when `cached` was read from the server. Older
 *   alerts that are missing in `cached` are not added, because the account is not allowed to read
 *   them.
 */
export function mergeOfflineAlerts(
  cached: readonly ListedAlert[],
  recent: readonly ReadableAlert[],
  newestIndex: number,
): ListedAlert[] {
  const byId = new Map(cached.map((entry) => [entry.id, entry]))
  const readable = recent.filter((alert): alert is Alert => !('locked' in alert))
  for (const alert of readable) {
    if (alert.logIndex <= newestIndex && !byId.has(alert.id)) continue
    byId.set(alert.id, { id: alert.id, alert, isRead: byId.get(alert.id)?.isRead ?? false })
  }
  return [...byId.values()].sort((a, b) => b.alert.logIndex - a.alert.logIndex).slice(0, maxOfflineAlerts)
}

/**
 * Updates which alerts are read.
 * @param listed entries of the loaded lists, which change when the user reads an alert
 * @param isAllRead true if the account has no unread alert
 */
export function updateReads(
  cached: readonly ListedAlert[],
  listed: readonly ListedAlert[],
  isAllRead: boolean,
): ListedAlert[] {
  const reads = new Map(listed.map(({ id, isRead }) => [id, isRead]))
  return cached.map((entry) => ({ ...entry, isRead: isAllRead || (reads.get(entry.id) ?? entry.isRead) }))
}

/**
 * Parses stored alerts. Null if another version of the site stored them in a format that this
 * version does not know.
 */
export function parseOfflineAlerts(alerts: unknown): ListedAlert[] | null {
  const parsed = z.array(listedAlert).safeParse(alerts)
  return parsed.success ? parsed.data : null
}
