import { useInfiniteQuery } from '@tanstack/react-query'
import { type SecurityEvent, securityCategories } from '@tocsin/protocol'
import { memo, useCallback } from 'react'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatNewestFirst } from '../../ui/format-newest-first.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { Panel } from '../../ui/panel.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Time } from '../../ui/time.tsx'
import { categoryLabels } from '../account/security-texts.ts'
import { adminQueries, omitEmptyValues, type SecuritySelection } from './admin-queries.ts'
import { formatSecurityKind } from './audit-texts.ts'
import { ExportButton } from './export-button.tsx'
import { QueryRows } from './query-rows.tsx'
import { useAdminSearchParams } from './use-admin-search-params.ts'
import { getDisplayName } from './user-texts.ts'

/** Security events of all accounts. The database allows only inserts. */
export function SecurityLogPanel() {
  const { category, search, go } = useAdminSearchParams()
  const selection = { category, search }
  const query = useInfiniteQuery(adminQueries.security(selection))
  const { data, isPlaceholderData } = query
  const events = data?.pages.flatMap(({ items }) => items) ?? []
  const isFiltered = category !== undefined || search !== ''
  return (
    <>
      <Filters selection={selection} />
      <Panel
        title="Security log"
        actions={<span className="text-base text-2 phone:hidden">Entries can’t be edited or deleted</span>}
        flush
        footer={
          events.length === 0 ? undefined : (
            <LoadMore query={query}>{formatNewestFirst(query.hasNextPage, events.length)}</LoadMore>
          )
        }
      >
        <QueryRows
          query={query}
          loading={{ label: 'Loading the security log', rows: 6 }}
          failed="Failed to fetch the security log"
          empty={<NoEvents isFiltered={isFiltered} onClear={() => go.refine({ category: undefined, search: '' })} />}
        >
          {events.length > 0 && (
            <ul aria-busy={isPlaceholderData} className="divide-y divide-line-1">
              {events.map((event) => (
                <EventRow key={event.id} event={event} onShow={go.show} />
              ))}
            </ul>
          )}
        </QueryRows>
      </Panel>
    </>
  )
}

function NoEvents({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  return isFiltered ? (
    <EmptyState title="No events match" action={<Button onClick={onClear}>Clear filters</Button>}>
      Search for a user, a network such as 192.0.2.7, or a kind such as “signed in”.
    </EmptyState>
  ) : (
    <EmptyState title="No events yet">Sign-ins, changes of access and rejected requests appear here.</EmptyState>
  )
}

function Filters({ selection }: { selection: SecuritySelection }) {
  const { go } = useAdminSearchParams()
  const setSearch = useCallback((search: string) => go.refine({ search }), [go])
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SelectField
        hideLabel
        label="Filter by category"
        size="sm"
        value={selection.category ?? ''}
        onChange={({ target }) => go.refine({ category: securityCategories.find((one) => one === target.value) })}
        className="w-56 phone:w-full"
      >
        <option value="">All events</option>
        {securityCategories.map((one) => (
          <option key={one} value={one}>
            {categoryLabels[one]}
          </option>
        ))}
      </SelectField>
      <SearchField
        label="Search the security log"
        placeholder="User, network or kind"
        value={selection.search}
        onSearch={setSearch}
      />
      <ExportButton
        load={() => call('exportSecurityEvents', { query: omitEmptyValues(selection) })}
        save={(text) => saveFile('tocsin-security-log.jsonl', text, 'application/jsonl')}
        what="the security log"
        title="The filtered events as JSON lines"
        label="Export JSON lines"
        className="ml-auto"
      />
    </div>
  )
}

type EventRowProps = { event: SecurityEvent; onShow: (user: string) => void }

/** One event: its time, kind, account and details, and the network that it came from. */
const EventRow = memo(function EventRow({ event, onShow }: EventRowProps) {
  const { at, category, account, subject, network, detail, requestId } = event
  return (
    <li className="grid grid-cols-[96px_224px_160px_minmax(0,1fr)_auto] items-baseline gap-x-4 gap-y-1 px-5 py-3 text-base [contain-intrinsic-size:auto_20px] [content-visibility:auto] max-lg:grid-cols-[96px_minmax(0,1fr)_minmax(0,1fr)] phone:grid-cols-[minmax(0,1fr)_auto] phone:px-4">
      <Time at={at} className="text-data text-2 phone:order-2 phone:text-right" />
      <span className={`font-semibold phone:order-1 ${category === 'alarm' ? 'text-critical' : ''}`}>
        {formatSecurityKind(event)}
      </span>
      <span className="min-w-0 wrap-anywhere text-2 phone:order-3">
        {account ? <Person person={account} onShow={onShow} /> : '—'}
      </span>
      <span className="min-w-0 wrap-anywhere text-2 max-lg:col-span-2 max-lg:col-start-2 phone:order-4 phone:col-start-1">
        {subject && <Person person={subject} onShow={onShow} />}
        {detail !== '' && <span className="block">{detail}</span>}
      </span>
      <span
        title={requestId === null ? undefined : `Request ${requestId}`}
        className="max-w-40 truncate text-data text-3 max-lg:hidden"
      >
        {network ?? ''}
      </span>
    </li>
  )
})

function Person({ person, onShow }: { person: { id: string; name: string } } & Pick<EventRowProps, 'onShow'>) {
  return (
    <button type="button" className="link touch-target text-left wrap-anywhere" onClick={() => onShow(person.id)}>
      {getDisplayName(person)}
    </button>
  )
}
