import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { auditActions } from '@tocsin/protocol'
import { Download } from 'lucide-react'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { numberLocale } from '../../ui/locale.ts'
import { Panel } from '../../ui/panel.tsx'
import { saveCsv } from '../../ui/save-file.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { type AuditSelection, adminQueries, filled, listKeys } from './admin-queries.ts'
import { toastRefusal } from './admin-toasts.ts'
import { AuditRow } from './audit-row.tsx'
import { actionWords } from './audit-words.ts'
import { FetchedRows } from './fetched-rows.tsx'
import { useAdminPlace } from './use-admin-place.ts'
import { displayName } from './user-words.ts'

/** The log of admin actions. The database allows only inserts. */
export function AuditPanel() {
  const { action, actor, go } = useAdminPlace()
  const selection = { action, actor }
  const query = useInfiniteQuery(adminQueries.audit(selection))
  const { data, isPlaceholderData } = query
  const entries = data?.pages.flatMap(({ items }) => items) ?? []
  const isSelected = action !== undefined || actor !== undefined
  return (
    <>
      <Filters selection={selection} />
      <Panel
        title="Audit trail"
        right={<span className="text-base text-2 phone:hidden">Entries can’t be edited or deleted</span>}
        flush
        footer={
          entries.length === 0 ? undefined : (
            <LoadMore query={query}>
              {`${query.hasNextPage ? 'Showing' : 'All'} ${entries.length.toLocaleString(numberLocale)}, newest first`}
            </LoadMore>
          )
        }
      >
        <FetchedRows
          query={query}
          loading={{ label: 'Loading the audit trail', rows: 6 }}
          failed="Failed to fetch the audit trail"
          empty={
            <NoEntries isSelected={isSelected} onClear={() => go.refine({ action: undefined, actor: undefined })} />
          }
        >
          {entries.length > 0 && (
            <ul aria-busy={isPlaceholderData} className="divide-y divide-line-1">
              {entries.map((entry) => (
                <AuditRow key={entry.id} entry={entry} onShow={go.show} />
              ))}
            </ul>
          )}
        </FetchedRows>
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
  const { go } = useAdminPlace()
  const { data: admins = [] } = useQuery({
    queryKey: ['/api/admin/users/admins'],
    queryFn: ({ signal }) => call('listUsers', { query: { filter: 'admin', limit: 100 }, signal }),
    refetchOnMount: 'always',
  })
  const { action, actor } = selection
  const isListed = actor === undefined || admins.some(({ id }) => id === actor)
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
            {actionWords[one]}
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
        {admins.map((user) => (
          <option key={user.id} value={user.id}>
            {displayName(user)}
          </option>
        ))}
        {!isListed && <option value={actor}>No longer an admin</option>}
      </SelectField>
      <ExportButton selection={selection} />
    </div>
  )
}

function ExportButton({ selection }: { selection: AuditSelection }) {
  const queryClient = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () => call('exportAudit', { query: filled(selection) }),
    onSuccess: (csv) => {
      saveCsv('tocsin-audit', csv)
      void queryClient.invalidateQueries({ queryKey: [listKeys.audit] })
    },
    onError: (error) => toastRefusal('Error', error, 'Failed to export the audit trail. Please try again.'),
  })
  return (
    <Button busy={isPending} onClick={() => mutate()} className="ml-auto" title="The filtered entries as CSV">
      <Download aria-hidden size={16} strokeWidth={2.25} />
      {isPending ? 'Exporting…' : 'Export CSV'}
    </Button>
  )
}
