import type { Alert, ReadableAlert, ResponseOf } from '@tocsin/protocol'
import { isLocked } from '../alert/alert-texts.ts'
import { type Draft, emptyDraft } from './draft.ts'

/**
 * Merges recent alerts (including locked ones) and the alerts that the user can read, without
 * duplicates, newest first. The locked rows among the user's alerts are left out: hundreds of them
 * would hide the alerts that can be chosen.
 */
export function mergeChoices(
  recentAlerts: readonly ReadableAlert[],
  ownEntries: ResponseOf<'userAlerts'>,
): ReadableAlert[] {
  const byIndex = new Map<number, ReadableAlert>()
  const readable = ownEntries.map((entry) => entry.alert).filter((alert) => !isLocked(alert))
  for (const alert of [...recentAlerts, ...readable]) {
    const knownAlert = byIndex.get(alert.logIndex)
    if (!knownAlert || isLocked(knownAlert)) byIndex.set(alert.logIndex, alert)
  }
  return [...byIndex.values()].sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))
}

export function findChoice(choices: readonly ReadableAlert[], id: string | undefined): Alert | null {
  const found = choices.find((alert) => alert.id === id)
  return found && !isLocked(found) ? found : null
}

/**
 * Alerts for which every word is in the asset, the type, the summary or "#<log index>". Locked
 * alerts match only an empty search, which matches all alerts.
 */
export function searchChoices(choices: readonly ReadableAlert[], search: string): ReadableAlert[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return [...choices]
  return choices.filter((alert) => {
    if (isLocked(alert)) return false
    const text = `${alert.asset} ${alert.anomalyType} ${alert.summary} #${alert.logIndex}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** Form values for an alert, or empty values if the alert is null. */
export function createClaimDraft(alert: Alert | null): Draft {
  if (!alert) return emptyDraft
  return {
    alertText: JSON.stringify(alert, null, 2),
    signature: alert.signature,
    transaction: alert.avalancheTx ?? '',
  }
}
