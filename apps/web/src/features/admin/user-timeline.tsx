import { useInfiniteQuery } from '@tanstack/react-query'
import type { TimelineEvent } from '@tocsin/protocol'
import { BellRing, Mail, ShieldCheck, User } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatCountOf } from '../../ui/count.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { Time } from '../../ui/time.tsx'
import { formatActivityKind } from '../account/security-texts.ts'
import { adminQueries } from './admin-queries.ts'
import { actionLabels } from './audit-texts.ts'
import { QueryRows } from './query-rows.tsx'
import { useAdminSearchParams } from './use-admin-search-params.ts'
import { UserSection } from './user-section.tsx'

/** Timeline of the events of an account, newest first. */
export function UserTimeline({ id }: { id: string }) {
  const { go } = useAdminSearchParams()
  const openSupportMessage = (supportMessage: number) => go.open({ tab: 'letters', letter: supportMessage })
  const query = useInfiniteQuery(adminQueries.timeline(id))
  const events = query.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <UserSection title="Timeline">
      <QueryRows
        query={query}
        loading={{ label: 'Loading the timeline', rows: 4 }}
        failed="Failed to fetch the timeline"
        empty={<p className="text-base text-2">Nothing has happened yet</p>}
      >
        {events.length > 0 && (
          <>
            <ol aria-label="Timeline, newest first" className="divide-y divide-line-1">
              {events.map((event) => (
                <Event key={event.id} event={event} onSupportMessage={openSupportMessage} />
              ))}
            </ol>
            <div className="flex items-center pt-2 text-hint text-2">
              <LoadMore query={query}>
                {query.hasNextPage
                  ? `The newest ${events.length} events`
                  : `${formatCountOf(events.length, 'event')} in total`}
              </LoadMore>
            </div>
          </>
        )}
      </QueryRows>
    </UserSection>
  )
}

const eventIcons = { activity: User, staff: ShieldCheck, letter: Mail, read: BellRing }

function Event({
  event,
  onSupportMessage,
}: {
  event: TimelineEvent
  onSupportMessage: (supportMessageId: number) => void
}) {
  const Icon = eventIcons[event.type]
  return (
    <li className="flex items-start gap-3 py-2 text-base">
      <Icon aria-hidden size={16} strokeWidth={2.25} className="mt-0.5 shrink-0 text-2" />
      <span className="min-w-0 flex-1 wrap-anywhere">{renderEvent(event, onSupportMessage)}</span>
      <Time at={event.at} show="relative" className="shrink-0 text-hint text-2" />
    </li>
  )
}

function renderEvent(event: TimelineEvent, onSupportMessage: (supportMessageId: number) => void): ReactNode {
  switch (event.type) {
    case 'activity':
      return (
        <>
          {formatActivityKind(event.kind)}
          <span className="block text-2">{event.detail}</span>
        </>
      )
    case 'read':
      return `Read ${formatCountOf(event.count, 'alert')} on this day`
    case 'letter':
      return (
        <>
          Wrote to support:{' '}
          <button
            type="button"
            onClick={() => onSupportMessage(event.letterId)}
            className="touch-target text-left underline underline-offset-4 hover:text-signal"
          >
            {event.subject}
          </button>
          , {event.state}
        </>
      )
    case 'staff':
      return (
        <>
          {actionLabels[event.action]} <span className="text-2">by {formatActorName(event)}</span>
          {event.reason !== null && <span className="block text-2">“{event.reason}”</span>}
        </>
      )
  }
}

function formatActorName({ actor }: Extract<TimelineEvent, { type: 'staff' }>): string {
  return actor === null ? 'the server, the command line or a link in an email' : (actor.name ?? 'a deleted account')
}
