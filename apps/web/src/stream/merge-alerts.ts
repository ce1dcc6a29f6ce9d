import type { Alert, ReadableAlert, ResponseOf } from '@tocsin/protocol'

type UserAlert = ResponseOf<'userAlerts'>[number]

/**
 * Replaces the alert's row, or inserts the alert by time (newest first). Rows are compared by log
 * index, because a locked row does not have the alert's id.
 */
export function mergeRecentAlert(list: readonly ReadableAlert[], alert: Alert): ReadableAlert[] {
  const isSameAlert = ({ logIndex }: ReadableAlert) => logIndex === alert.logIndex
  if (list.some(isSameAlert)) return list.map((entry) => (isSameAlert(entry) ? alert : entry))
  const markedAlerts = list.map((entry) => ('locked' in entry ? entry : supersede(entry, alert)))
  return insertByTime(markedAlerts, alert, (entry) => entry.createdAt)
}

/** Like `mergeRecentAlert`, for the user's list with the read state. */
export function mergeUserAlerts(list: readonly UserAlert[], alert: Alert): UserAlert[] {
  const isSame = (entry: UserAlert) => entry.alert.logIndex === alert.logIndex
  if (list.some(isSame)) return list.map((entry) => (isSame(entry) ? { ...entry, id: alert.id, alert } : entry))
  const markedAlerts = list.map((entry) => {
    const markedAlert = 'locked' in entry.alert ? entry.alert : supersede(entry.alert, alert)
    return markedAlert === entry.alert ? entry : { ...entry, alert: markedAlert }
  })
  return insertByTime(markedAlerts, { id: alert.id, alert, isRead: false }, (entry) => entry.alert.createdAt)
}

/**
 * Marks `alert` as superseded by the other entry. Does so only if that entry corrects or retracts
 * the alert and is newer than other such entries.
 */
function supersede(alert: Alert, { kind, targetIndex, logIndex, id }: Alert): Alert {
  if (kind === 'alert' || targetIndex !== alert.logIndex || logIndex <= (alert.supersededBy?.logIndex ?? -1))
    return alert
  return { ...alert, supersededBy: { logIndex, id, kind } }
}

function insertByTime<Item>(list: readonly Item[], item: Item, getTime: (item: Item) => string): Item[] {
  const index = list.findIndex((entry) => getTime(entry) <= getTime(item))
  const position = index === -1 ? list.length : index
  return [...list.slice(0, position), item, ...list.slice(position)]
}

/** True if the alert contains the verdict on its prediction. */
export function hasVerdict(alert: ReadableAlert): boolean {
  return !('locked' in alert) && alert.outcome !== undefined
}

/** The highest log index of the alerts in a list, without locked rows, or null. */
export function findHighestIndex(list: readonly ReadableAlert[]): number | null {
  return list.reduce<number | null>(
    (highest, entry) => ('locked' in entry ? highest : Math.max(highest ?? 0, entry.logIndex)),
    null,
  )
}
