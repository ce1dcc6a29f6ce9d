import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type AuditEntry, auditActions } from '@tocsin/protocol'
import { memo } from 'react'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatNewestFirst } from '../../ui/format-newest-first.ts'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Panel } from '../../ui/panel.tsx'
import { saveCsv } from '../../ui/save-file.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { Time } from '../../ui/time.tsx'
import { type AuditSelection, adminQueries, omitEmptyValues } from './admin-queries.ts'
import { formatLogNumber } from './alert-number.ts'
import { actionLabels, formatActor, formatDetails } from './audit-texts.ts'
import { ExportButton } from './export-button.tsx'
import { QueryRows } from './query-rows.tsx'
import { useAdminSearchParams } from './use-admin-search-params.ts'
import { getDisplayName } from './user-texts.ts'

/** The log of admin actions. The database allows only inserts. */
export function AuditPanel() {
  const { action, actor, go } = useAdminSearchParams()
  const selection = { action, actor }
  const query = useInfiniteQuery(adminQueries.audit(selection))
  const { data, isPlaceholderData } = query
  const entries = data?.pages.flatMap(({ items }) => items) ?? []
  const hasFilter = action !== undefined || actor !== undefined
  return (
    <>
      <Filters selection={selection} />
      <Panel
        title="Audit log"
        actions={<span className="text-base text-2 phone:hidden">Entries can’t be edited or deleted</span>}
        flush
        footer={
          entries.length === 0 ? undefined : (
            <LoadMore query={query}>{formatNewestFirst(query.hasNextPage, entries.length)}</LoadMore>
          )
        }
      >
        <QueryRows
          query={query}
          loading={{ label: 'Loading the audit log', rows: 6 }}
          failed="Failed to fetch the audit log"
          empty={
            <NoEntries isSelected={hasFilter} onClear={() => go.refine({ action: undefined, actor: undefined })} />
          }
        >
          {entries.length > 0 && (
            <ul aria-busy={isPlaceholderData} className="divide-y divide-line-1">
              {entries.map((entry) => (
                <AuditRow key={entry.id} entry={entry} onShow={go.show} />
              ))}
            </ul>
          )}
        </QueryRows>
      </Panel>
    </>
  )
}

function NoEntries({ isSelected, onClear }: { isSelected: boolean; onClear: () => void }) {
  return isSelected ? (
    <EmptyState title="No entries match" action={<Button onClick={onClear}>Clear filters</Button>}>
      Choose all actions or all admins.
    </EmptyState>
  ) : (
    <EmptyState title="No actions yet">Admin actions appear here with who, when and why.</EmptyState>
  )
}

function Filters({ selection }: { selection: AuditSelection }) {
  const { go } = useAdminSearchParams()
  const { data: admins } = useQuery({
    queryKey: ['/api/admin/users/admins'],
    queryFn: ({ signal }) => call('listUsers', { query: { filter: 'admin', limit: 100 }, signal }),
    refetchOnMount: 'always',
  })
  const { action, actor } = selection
  const isActorListed = actor === undefined || admins?.some(({ id }) => id === actor) === true
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SelectField
        hideLabel
        label="Filter by action"
        size="sm"
        value={action ?? ''}
        onChange={({ target }) => go.refine({ action: auditActions.find((one) => one === target.value) })}
        className="w-56 phone:w-full"
      >
        <option value="">All actions</option>
        {auditActions.map((one) => (
          <option key={one} value={one}>
            {actionLabels[one]}
          </option>
        ))}
      </SelectField>
      <SelectField
        hideLabel
        label="Filter by admin"
        size="sm"
        value={actor ?? ''}
        onChange={({ target }) => go.refine({ actor: target.value || undefined })}
        className="w-56 phone:min-w-0 phone:flex-1"
      >
        <option value="">All admins</option>
        {admins?.map((user) => (
          <option key={user.id} value={user.id}>
            {getDisplayName(user)}
          </option>
        ))}
        {!isActorListed && <option value={actor}>{admins ? 'No longer an admin' : 'Selected admin'}</option>}
      </SelectField>
      <ExportButton
        load={() => call('exportAudit', { query: omitEmptyValues(selection) })}
        save={(csv) => saveCsv('tocsin-audit', csv)}
        what="the audit log"
        title="The filtered entries as CSV"
        className="ml-auto"
      />
    </div>
  )
}

/**
 * Subjects that are settings. They are not shown, because the label of the action names the
 * setting.
 */
const settingSubjects: ReadonlySet<string> = new Set(['feed', 'chain_id'])

type AuditRowProps = { entry: AuditEntry; onShow: (user: string) => void }

/** One entry: its time, the actor, the action, and the subject with reason and details. */
const AuditRow = memo(function AuditRow({ entry, onShow }: AuditRowProps) {
  const { at, action, reason, requestId } = entry
  const detail = formatDetails(entry)
  return (
    <li className="grid grid-cols-[96px_160px_192px_minmax(0,1fr)_auto] items-baseline gap-x-4 gap-y-1 px-5 py-3 text-base [contain-intrinsic-size:auto_20px] [content-visibility:auto] max-lg:grid-cols-[96px_minmax(0,1fr)_minmax(0,1fr)] phone:grid-cols-[minmax(0,1fr)_auto] phone:px-4">
      <Time at={at} className="text-data text-2 phone:order-2 phone:text-right" />
      <span className="min-w-0 wrap-anywhere text-2 phone:order-3">{formatActor(entry)}</span>
      <span className="font-semibold phone:order-1">{actionLabels[action]}</span>
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
  if (subject === null || settingSubjects.has(subject)) return null
  if (alert === null) return <span className="text-data">{subject}</span>
  return (
    <span className="flex flex-wrap items-center gap-x-3 wrap-anywhere" title={subject}>
      <span>
        <span className="text-data">{formatLogNumber(alert.logIndex)}</span> {alert.asset}
      </span>
      <PriorityGlyph priority={alert.priority} word className="text-2" />
    </span>
  )
}
