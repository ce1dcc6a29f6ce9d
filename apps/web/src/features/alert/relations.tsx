import type { Alert } from '@tocsin/protocol'
import { PencilLine, Undo2 } from 'lucide-react'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/count.ts'
import { AlertLink } from './alert-link.tsx'
import { useCachedAlerts } from './held-alerts.ts'
import { createRelations, formatRelation, type Relation } from './relation.ts'

type RelatedAlert = Pick<Alert, 'kind' | 'targetIndex' | 'supersededBy'>

/** Style of superseded content: readable, but struck through. */
export const supersededClasses = 'text-2 line-through decoration-text-3'

/**
 * Short labels beside each other that name the entry that the alert corrects or retracts, and the
 * entry that superseded the alert. They wrap if the line is too short.
 */
export function RelationTags({ alert, className }: { alert: RelatedAlert; className?: string }) {
  const findAlert = useCachedAlerts()
  const relations = createRelations(alert, findAlert)
  if (relations.length === 0) return null
  return (
    <span className={classNames('inline-flex flex-wrap gap-1.5 no-underline', className)}>
      {relations.map((relation) => (
        <span
          key={relation.word}
          className="inline-flex h-5 items-center gap-1.5 rounded-control border border-line-2 px-1.5 text-hint font-medium whitespace-nowrap text-1"
        >
          <RelationIcon relation={relation} />
          {formatRelation(relation)}
        </span>
      ))}
    </span>
  )
}

/** Lists the references of an alert, each with its reason and a link to the other entry. */
export function RelationNotes({ alert, className }: { alert: RelatedAlert; className?: string }) {
  const findAlert = useCachedAlerts()
  const relations = createRelations(alert, findAlert)
  if (relations.length === 0) return null
  return (
    <ul className={classNames('flex flex-col gap-1.5', className)}>
      {relations.map((relation) => (
        <li key={relation.word} className="flex items-start gap-2 text-base">
          <RelationIcon relation={relation} className="mt-0.5" />
          <span className="min-w-0 wrap-anywhere">
            {relation.word}{' '}
            {relation.id === null ? (
              <span className="font-medium">#{formatCount(relation.logIndex)}</span>
            ) : (
              <AlertLink id={relation.id} className="link touch-target font-medium">
                #{formatCount(relation.logIndex)}
              </AlertLink>
            )}
            {relation.reason !== null && <span dir="auto">: {relation.reason}</span>}
          </span>
        </li>
      ))}
    </ul>
  )
}

function RelationIcon({ relation: { isRetraction }, className }: { relation: Relation; className?: string }) {
  const Icon = isRetraction ? Undo2 : PencilLine
  return <Icon aria-hidden size={14} strokeWidth={2} className={classNames('shrink-0 text-2', className)} />
}
