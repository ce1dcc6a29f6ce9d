import type { Alert, AlertSearch, AlertSelection, ListedAlert, ReadableAlert } from '@tocsin/protocol'
import { hasVerdict, isSelected } from '@tocsin/protocol'
import { isLocked } from '../alert/alert-texts.ts'

/**
 * Merges streamed alerts into the loaded pages: updates listed alerts that have newer data, and
 * inserts new alerts that match the selection. `openedIds` contains the ids of new alerts that the
 * user has read on this page.
 */
export function mergeLiveAlerts(
  pages: readonly AlertSearch[],
  selection: AlertSelection,
  recentAlerts: readonly ReadableAlert[],
  arrivedAlerts: readonly Alert[],
  openedIds: ReadonlySet<string>,
): ListedAlert[] {
  const listedAlerts = pages.flatMap(({ items }) => items)
  const currentEntries = updateEntries(listedAlerts, recentAlerts)
  // When the outcome of an alert arrives, remove the alert from a list of open predictions.
  const remainingEntries = currentEntries.filter(({ alert }) => isLocked(alert) || hasVerdict(alert, selection.verdict))
  const listedLogIndexes = new Set(listedAlerts.map(({ alert }) => alert.logIndex))
  const isFullyLoaded = pages.at(-1)?.next === null
  const oldestIndex = findLowestIndex(listedAlerts)
  const lastFetchedLogIndex = pages[0]?.lastIndex ?? -1
  // A verdict that was not known when the list was read can make an earlier alert match.
  const evaluatedAlerts = recentAlerts.filter(
    (alert): alert is Alert =>
      !isLocked(alert) && selection.verdict !== undefined && isEvaluatedAfter(alert, lastFetchedLogIndex),
  )
  const addedAlerts = [...new Set([...arrivedAlerts, ...evaluatedAlerts])]
    .filter(
      (alert) =>
        !listedLogIndexes.has(alert.logIndex) &&
        isSelected(alert, selection) &&
        (isFullyLoaded || alert.logIndex > oldestIndex),
    )
    .map((alert): ListedAlert => ({ id: alert.id, alert, isRead: openedIds.has(alert.id) }))
  return addedAlerts.reduce(insertByIndex, remainingEntries)
}

/** Replaces the alerts of entries for which the stream has delivered newer data. */
export function updateEntries(
  listedEntries: readonly ListedAlert[],
  recentAlerts: readonly ReadableAlert[],
): ListedAlert[] {
  // Keyed by log index, because a locked row has a different id.
  const alertsByIndex = new Map(
    recentAlerts.flatMap((alert) => (isLocked(alert) ? [] : [[alert.logIndex, alert] as const])),
  )
  return listedEntries.map((entry) => {
    const liveAlert = alertsByIndex.get(entry.alert.logIndex)
    return liveAlert && hasNewerData(liveAlert, entry.alert) ? { ...entry, id: liveAlert.id, alert: liveAlert } : entry
  })
}

const isEvaluatedAfter = ({ outcome }: Alert, logIndex: number) => (outcome?.logIndex ?? -1) > logIndex

function hasNewerData(liveAlert: Alert, listedAlert: ReadableAlert): boolean {
  if (isLocked(listedAlert)) return true
  const isAnchored = liveAlert.avalancheTx !== null && listedAlert.avalancheTx === null
  const hasNewOutcome = liveAlert.outcome !== undefined && listedAlert.outcome === undefined
  return (
    isAnchored || hasNewOutcome || (liveAlert.supersededBy?.logIndex ?? -1) > (listedAlert.supersededBy?.logIndex ?? -1)
  )
}

function findLowestIndex(entries: readonly ListedAlert[]): number {
  return entries.reduce((lowest, { alert }) => Math.min(lowest, alert.logIndex), Number.POSITIVE_INFINITY)
}

function insertByIndex(entries: ListedAlert[], entry: ListedAlert): ListedAlert[] {
  const position = entries.findIndex((listedEntry) => listedEntry.alert.logIndex < entry.alert.logIndex)
  return position === -1 ? [...entries, entry] : [...entries.slice(0, position), entry, ...entries.slice(position)]
}
