import { useInfiniteQuery } from '@tanstack/react-query'
import { type SupportMessage, supportMessageStates } from '@tocsin/protocol'
import { useCallback } from 'react'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { formatCount, formatCountOf } from '../../ui/count.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Time } from '../../ui/time.tsx'
import { adminQueries } from './admin-queries.ts'
import { QueryRows } from './query-rows.tsx'
import { SupportMessageDialog } from './support-message-dialog.tsx'
import { useAdminSearchParams } from './use-admin-search-params.ts'

export const supportMessageStyles: Record<SupportMessage['state'], { tone: BadgeTone; word: string }> = {
  open: { tone: 'medium', word: 'Open' },
  waiting: { tone: 'neutral', word: 'Waiting' },
  closed: { tone: 'ok', word: 'Closed' },
}

/** Inbox of the messages that users sent with the support form. */
export function SupportMessagesTab() {
  const { letters: state, letter: openedId, search, go } = useAdminSearchParams()
  const query = useInfiniteQuery(adminQueries.letters({ state, search }))
  const setSearch = useCallback((next: string) => go.refine({ search: next }), [go])
  const items = query.data?.pages.flatMap((page) => page.items) ?? []
  const openCount = query.data?.pages[0]?.openCount
  return (
    <Panel
      title="Support messages"
      detail={openCount === undefined ? undefined : `${formatCount(openCount)} open`}
      flush
      footer={query.hasNextPage ? <LoadMore query={query}>Newest first</LoadMore> : undefined}
    >
      <div className="flex flex-wrap items-center gap-2 border-b border-line-1 px-5 py-2 phone:px-4">
        <Segmented
          label="Filter support messages by state"
          value={state}
          onChange={(next) => go.refine({ letters: next })}
          choices={supportMessageStates.map((one) => ({ value: one, label: supportMessageStyles[one].word }))}
        />
        <SearchField
          label="Search support messages"
          placeholder="Name, address or text"
          value={search}
          onSearch={setSearch}
          className="ml-auto w-76 max-lg:ml-0 max-lg:min-w-60 max-lg:flex-1"
        />
      </div>
      <QueryRows
        query={query}
        loading={{ label: 'Loading support messages', rows: 4 }}
        failed="Failed to fetch support messages"
        empty={
          search === '' ? (
            <EmptyState title={`No ${supportMessageStyles[state].word.toLowerCase()} support messages`}>
              Messages from the support page appear here. You can reply by email and add notes for other staff.
            </EmptyState>
          ) : (
            <EmptyState
              title="No support messages match"
              action={<Button onClick={() => go.refine({ search: '' })}>Clear search</Button>}
            >
              Search for part of a name, an address, a subject or a text.
            </EmptyState>
          )
        }
      >
        {items.length > 0 && (
          <ul aria-label="Support messages" className="divide-y divide-line-1">
            {items.map((supportMessage) => (
              <SupportMessageRow
                key={supportMessage.id}
                supportMessage={supportMessage}
                onOpen={() => go.showLetter(supportMessage.id)}
              />
            ))}
          </ul>
        )}
      </QueryRows>
      {openedId !== undefined && (
        <SupportMessageDialog key={openedId} id={openedId} onClose={() => go.showLetter(undefined)} />
      )}
    </Panel>
  )
}

function SupportMessageRow({ supportMessage, onOpen }: { supportMessage: SupportMessage; onOpen: () => void }) {
  const { subject, name, email, at, state, assignee, answers, notes } = supportMessage
  const counts = [
    ...(answers > 0 ? [formatCountOf(answers, 'reply', 'replies')] : []),
    ...(notes > 0 ? [formatCountOf(notes, 'note')] : []),
  ]
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-6 gap-y-1 px-5 py-2.5 text-base phone:px-4">
      <span className="min-w-60 flex-1">
        <button type="button" className="link touch-target text-left font-medium wrap-anywhere" onClick={onOpen}>
          {subject}
        </button>
        <span className="block text-hint text-2 wrap-anywhere">{[`${name}, ${email}`, ...counts].join(' · ')}</span>
      </span>
      <span className="text-hint text-2">{assignee === null ? 'Not assigned' : assignee.name}</span>
      <Time at={at} show="date" className="text-data text-2" />
      <Badge tone={supportMessageStyles[state].tone}>{supportMessageStyles[state].word}</Badge>
    </li>
  )
}
