import type { Alert } from '@tocsin/protocol'
import { numberLocale } from '../../ui/locale.ts'

/** How an alert is tied to another entry of the log. */
export interface Relation {
  /** "Corrects", "Retracted by". */
  word: string
  isRetraction: boolean
  logIndex: number
  /** Null while this page does not hold the other one. */
  id: string | null
  /** Why it was taken back, as far as this page holds that. */
  reason: string | null
}

type Related = Pick<Alert, 'kind' | 'targetIndex' | 'supersededBy'>

/** What the alert points at, then what points at it. `find` looks among the alerts that the page holds. */
export function relationsOf(alert: Related, find: (logIndex: number) => Alert | null): Relation[] {
  const relations: Relation[] = []
  const { kind, targetIndex, supersededBy } = alert
  if (kind !== 'alert' && targetIndex !== null) {
    const isRetraction = kind === 'retraction'
    const word = isRetraction ? 'Retracts' : 'Corrects'
    relations.push({ word, isRetraction, logIndex: targetIndex, id: find(targetIndex)?.id ?? null, reason: null })
  }
  if (supersededBy) {
    const { logIndex, id } = supersededBy
    const isRetraction = supersededBy.kind === 'retraction'
    const word = isRetraction ? 'Retracted by' : 'Corrected by'
    relations.push({
      word,
      isRetraction,
      logIndex,
      id,
      reason: isRetraction ? (find(logIndex)?.summary ?? null) : null,
    })
  }
  return relations
}

/** "Retracted by #14: the venue had halted". Without the reason where there is no room for it. */
export function relationWords({ word, logIndex, reason }: Relation, withReason: boolean): string {
  const words = `${word} #${logIndex.toLocaleString(numberLocale)}`
  return withReason && reason !== null ? `${words}: ${reason}` : words
}
