import type { Alert, AlertSearch, AlertSelection, ListedAlert, ReadableAlert } from '@tocsin/protocol'
import { hasVerdict, isSelected } from '@tocsin/protocol'
import { isLocked } from '../alert/alert-texts.ts'

/**
 * Merges streamed alerts into the loaded pages: updates listed alerts that have newer data, and
 * inserts new alerts that match the selection. `opened` contains the ids of new alerts that the
 * user has read on this page.
 */
export function mergeLive(
  pages: readonly AlertSearch[],
  selection: AlertSelection,
  recent: readonly ReadableAlert[],
  arrived: readonly Alert[],
  opened: ReadonlySet<string>,
): ListedAlert[] {
  const listedAlerts = pages.flatMap(({ items }) => items)
  const current = updateEntries(listedAlerts, recent)
  // When the outcome of an alert arrives, remove the alert from a list of open predictions.
  const remaining = current.filter(({ alert }) => isLocked(alert) || hasVerdict(alert, selection.verdict))
  const indexes = new Set(listedAlerts.map(({ alert }) => alert.logIndex))
  const isWhole = pages.at(-1)?.next === null
  const oldest = lowestIndex(listedAlerts)
  const readIndex = pages[0]?.lastIndex ?? -1
  // A verdict that was not known when the list was read can make an earlier alert match.
  const judged = recent.filter(
    (alert): alert is Alert => !isLocked(alert) && selection.verdict !== undefined && evaluatedAfter(alert, readIndex),
  )
  const added = [...new Set([...arrived, ...judged])]
    .filter(
      (alert) => !indexes.has(alert.logIndex) && isSelected(alert, selection) && (isWhole || alert.logIndex > oldest),
    )
    .map((alert): ListedAlert => ({ id: alert.id, alert, isRead: opened.has(alert.id) }))
  return added.reduce(insertByIndex, remaining)
}

/** Replaces the alerts of entries for which the stream has delivered newer data. */
export function updateEntries(listed: readonly ListedAlert[], recent: readonly ReadableAlert[]): ListedAlert[] {
  // Keyed by log index, because a locked row has a different id.
  const newest = new Map(recent.flatMap((alert) => (isLocked(alert) ? [] : [[alert.logIndex, alert] as const])))
  return listed.map((entry) => {
    const live = newest.get(entry.alert.logIndex)
    return live && hasNewerData(live, entry.alert) ? { ...entry, id: live.id, alert: live } : entry
  })
}

const evaluatedAfter = ({ outcome }: Alert, logIndex: number) => (outcome?.logIndex ?? -1) > logIndex

function hasNewerData(live: Alert, listed: ReadableAlert): boolean {
  if (isLocked(listed)) return true
  const isAnchored = live.avalancheTx !== null && listed.avalancheTx === null
  const hasVerdict = live.outcome !== undefined && listed.outcome === undefined
  return isAnchored || hasVerdict || (live.supersededBy?.logIndex ?? -1) > (listed.supersededBy?.logIndex ?? -1)
}

function lowestIndex(entries: readonly ListedAlert[]): number {
  return entries.reduce((lowest, { alert }) => Math.min(lowest, alert.logIndex), Number.POSITIVE_INFINITY)
}

function insertByIndex(entries: ListedAlert[], entry: ListedAlert): ListedAlert[] {
  const place = entries.findIndex((each) => each.alert.logIndex < entry.alert.logIndex)
  return place === -1 ? [...entries, entry] : [...entries.slice(0, place), entry, ...entries.slice(place)]
}
