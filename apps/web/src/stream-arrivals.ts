import type { Alert, ReadableAlert, ResponseOf } from '@tocsin/protocol'

type UserAlert = ResponseOf<'userAlerts'>[number]

/**
 * The list with this alert in it: in the place of its row, which may have been locked, else where its
 * time puts it (newest first). A locked row has no id of an alert, so rows are compared by log index.
 */
export function mergeRecent(list: readonly ReadableAlert[], alert: Alert): ReadableAlert[] {
  const isIt = ({ logIndex }: ReadableAlert) => logIndex === alert.logIndex
  if (list.some(isIt)) return list.map((each) => (isIt(each) ? alert : each))
  const marked = list.map((each) => ('locked' in each ? each : supersede(each, alert)))
  return insertByTime(marked, alert, (each) => each.createdAt)
}

export function mergeUserAlerts(list: readonly UserAlert[], alert: Alert): UserAlert[] {
  if (list.some((each) => each.alert.id === alert.id)) {
    return list.map((each) => (each.alert.id === alert.id ? { ...each, alert } : each))
  }
  const marked = list.map((each) => {
    const superseded = supersede(each.alert, alert)
    return superseded === each.alert ? each : { ...each, alert: superseded }
  })
  return insertByTime(marked, { id: alert.id, alert, isRead: false }, (each) => each.alert.createdAt)
}

/** An alert as it stands once another has arrived: the newest entry that points at it counts. */
function supersede(alert: Alert, { kind, targetIndex, logIndex, id }: Alert): Alert {
  if (kind === 'alert' || targetIndex !== alert.logIndex || logIndex <= (alert.supersededBy?.logIndex ?? -1))
    return alert
  return { ...alert, supersededBy: { logIndex, id, kind } }
}

function insertByTime<Item>(list: readonly Item[], item: Item, timeOf: (item: Item) => string): Item[] {
  const index = list.findIndex((each) => timeOf(each) <= timeOf(item))
  const place = index === -1 ? list.length : index
  return [...list.slice(0, place), item, ...list.slice(place)]
}

/** The highest log index in a list, or null. */
export function highestIndex(list: readonly ReadableAlert[]): number | null {
  return list.reduce<number | null>(
    (highest, each) => ('locked' in each ? highest : Math.max(highest ?? 0, each.logIndex)),
    null,
  )
}
