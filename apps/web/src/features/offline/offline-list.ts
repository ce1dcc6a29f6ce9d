import { type Alert, type ListedAlert, listedAlert, type ReadableAlert } from '@tocsin/protocol'
import { z } from 'zod'
import { isLocked } from '../alert/alert-texts.ts'

/** Maximum number of alerts that are stored for reading offline. */
export const maxOfflineAlerts = 200

/** Returns the alerts that the account can read in full. Locked rows are not stored. */
export function filterReadable(items: readonly ListedAlert[]): ListedAlert[] {
  return items.filter(({ alert }) => !isLocked(alert))
}

/**
 * Adds new and changed alerts, newest first.
 * @param newestIndex log index of the newest alert when `cachedEntries` was read from the server.
 *   Older alerts that are missing in `cachedEntries` are not added, because the account is not
 *   allowed to read them.
 */
export function mergeOfflineAlerts(
  cachedEntries: readonly ListedAlert[],
  recentAlerts: readonly ReadableAlert[],
  newestIndex: number,
): ListedAlert[] {
  const byId = new Map(cachedEntries.map((entry) => [entry.id, entry]))
  const readableAlerts = recentAlerts.filter((alert): alert is Alert => !isLocked(alert))
  for (const alert of readableAlerts) {
    if (alert.logIndex <= newestIndex && !byId.has(alert.id)) continue
    byId.set(alert.id, { id: alert.id, alert, isRead: byId.get(alert.id)?.isRead ?? false })
  }
  return [...byId.values()].sort((a, b) => b.alert.logIndex - a.alert.logIndex).slice(0, maxOfflineAlerts)
}

/**
 * Updates which alerts are read.
 * @param listedEntries entries of the loaded lists, the newest list first. They change when the
 *   user reads an alert
 * @param isAllRead true if the account has no unread alert
 */
export function updateReadStates(
  cachedEntries: readonly ListedAlert[],
  listedEntries: readonly ListedAlert[],
  isAllRead: boolean,
): ListedAlert[] {
  // Of several entries with the same id, the last one that is set remains: that of the newest list.
  const readStates = new Map([...listedEntries].reverse().map(({ id, isRead }) => [id, isRead]))
  return cachedEntries.map((entry) => ({ ...entry, isRead: isAllRead || (readStates.get(entry.id) ?? entry.isRead) }))
}

/**
 * Parses stored alerts. Null if another version of the site stored them in a format that this
 * version does not know.
 */
export function parseOfflineAlerts(alerts: unknown): ListedAlert[] | null {
  const parsed = z.array(listedAlert).safeParse(alerts)
  return parsed.success ? parsed.data : null
}
