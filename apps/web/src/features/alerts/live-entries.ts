import type { Alert, AlertSearch, AlertSelection, ListedAlert, ReadableAlert } from '@tocsin/protocol'
import { isSelected } from '@tocsin/protocol'
import { isLocked } from './alert-words.ts'

/**
 * The pages with what the stream has brought since: alerts of which more is known by now, and new ones that are selected, in their places. `opened` are
 * new ones that were read here.
 */
export function mergeLive(
  pages: readonly AlertSearch[],
  selection: AlertSelection,
  recent: readonly ReadableAlert[],
  arrived: readonly Alert[],
  opened: ReadonlySet<string>,
): ListedAlert[] {
  const listed = pages.flatMap(({ items }) => items)
  const newest = new Map(recent.flatMap((alert) => (isLocked(alert) ? [] : [[alert.id, alert] as const])))
  const current = listed.map((entry) => {
    const live = newest.get(entry.id)
    return live && knowsMore(live, entry.alert) ? { ...entry, alert: live } : entry
  })
  const ids = new Set(listed.map(({ id }) => id))
  const isWhole = pages.at(-1)?.next === null
  const oldest = lowestIndex(listed)
  const added = arrived
    .filter((alert) => !ids.has(alert.id) && isSelected(alert, selection) && (isWhole || alert.logIndex > oldest))
    .map((alert): ListedAlert => ({ id: alert.id, alert, isRead: opened.has(alert.id) }))
  return added.reduce(insertByIndex, current)
}

function knowsMore(live: Alert, listed: ReadableAlert): boolean {
  if (isLocked(listed)) return true
  const isAnchored = live.avalancheTx !== null && listed.avalancheTx === null
  return isAnchored || (live.supersededBy?.logIndex ?? -1) > (listed.supersededBy?.logIndex ?? -1)
}

function lowestIndex(entries: readonly ListedAlert[]): number {
  return entries.reduce(
    (lowest, { alert }) => (isLocked(alert) ? lowest : Math.min(lowest, alert.logIndex)),
    Number.POSITIVE_INFINITY,
  )
}

function insertByIndex(entries: ListedAlert[], entry: ListedAlert): ListedAlert[] {
  const { alert } = entry
  if (isLocked(alert)) return entries
  const place = entries.findIndex((each) => !isLocked(each.alert) && each.alert.logIndex < alert.logIndex)
  return place === -1 ? [...entries, entry] : [...entries.slice(0, place), entry, ...entries.slice(place)]
}
