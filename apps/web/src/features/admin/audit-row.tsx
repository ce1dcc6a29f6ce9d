import type { AuditEntry } from '@tocsin/protocol'
import { memo } from 'react'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { Time } from '../../ui/time.tsx'
import { logNumber } from './alert-number.ts'
import { actionWords, actorOf, detailOf } from './audit-words.ts'

/** Subjects that the action label already names. */
const settings: ReadonlySet<string> = new Set(['feed', 'chain_id'])

type AuditRowProps = { entry: AuditEntry; onShow: (user: string) => void }

/** One entry: when, who, what and why. */
export const AuditRow = memo(function AuditRow({ entry, onShow }: AuditRowProps) {
  const { at, action, reason, requestId } = entry
  const detail = detailOf(entry)
  return (
    <li className="grid grid-cols-[96px_160px_192px_minmax(0,1fr)_auto] items-baseline gap-x-4 gap-y-1 px-5 py-3 text-base [contain-intrinsic-size:auto_20px] [content-visibility:auto] max-lg:grid-cols-[96px_minmax(0,1fr)_minmax(0,1fr)] phone:grid-cols-[minmax(0,1fr)_auto] phone:px-4">
      <Time at={at} className="text-data text-2 phone:order-2 phone:text-right" />
      <span className="min-w-0 wrap-anywhere text-2 phone:order-3">{actorOf(entry)}</span>
      <span className="font-semibold phone:order-1">{actionWords[action]}</span>
      <span className="min-w-0 wrap-anywhere max-lg:col-span-2 max-lg:col-start-2 phone:order-4 phone:col-start-1">
        <Subject entry={entry} onShow={onShow} />
        {reason !== null && <span className="block">“{reason}”</span>}
        {detail !== '' && <span className="block text-2">{detail}</span>}
      </span>
      <span title={`Request ${requestId}`} className="max-w-28 truncate text-data text-3 max-lg:hidden">
        {requestId}
      </span>
    </li>
  )
})

function Subject({ entry: { subject, subjectName, alert, receiver }, onShow }: AuditRowProps) {
  const person = receiver ?? (subject !== null && subjectName !== null ? { id: subject, name: subjectName } : null)
  if (person !== null && person.name !== null) {
    return (
      <button type="button" className="link touch-target text-left wrap-anywhere" onClick={() => onShow(person.id)}>
        {person.name || 'Unknown User'}
      </button>
    )
  }
  if (subject === null || settings.has(subject)) return null
  if (alert === null) return <span className="text-data">{subject}</span>
  return (
    <span className="flex flex-wrap items-center gap-x-3 wrap-anywhere" title={subject}>
      <span>
        <span className="text-data">{logNumber(alert.logIndex)}</span> {alert.asset}
      </span>
      <PriorityGlyph priority={alert.priority} word className="text-2" />
    </span>
  )
}
