import type { Alert } from '@tocsin/protocol'
import { formatCount } from '../../ui/count.ts'

/** A reference between an alert and another log entry. */
export interface Relation {
  /** The kind of the reference, for example "Corrects" or "Retracted by". */
  word: string
  isRetraction: boolean
  logIndex: number
  /** Id of the other alert. Null if it is not in the cache. */
  id: string | null
  /**
   * Why the alert was retracted. Null for the other kinds of references, and if the retraction is
   * not in the cache.
   */
  reason: string | null
}

type RelatedAlert = Pick<Alert, 'kind' | 'targetIndex' | 'supersededBy'>

/**
 * Returns the reference to the entry that the alert corrects or retracts, then the reference to the
 * entry that superseded the alert. `findAlert` looks up alerts in the cache.
 */
export function createRelations(alert: RelatedAlert, findAlert: (logIndex: number) => Alert | null): Relation[] {
  const relations: Relation[] = []
  const { kind, targetIndex, supersededBy } = alert
  if (kind !== 'alert' && targetIndex !== null) {
    const isRetraction = kind === 'retraction'
    const word = isRetraction ? 'Retracts' : 'Corrects'
    relations.push({ word, isRetraction, logIndex: targetIndex, id: findAlert(targetIndex)?.id ?? null, reason: null })
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
      reason: isRetraction ? (findAlert(logIndex)?.summary ?? null) : null,
    })
  }
  return relations
}

/** Describes a reference: "Retracted by #14". */
export function formatRelation({ word, logIndex }: Relation): string {
  return `${word} #${formatCount(logIndex)}`
}
