import { useInfiniteQuery } from '@tanstack/react-query'
import type { AdminMessage } from '@tocsin/protocol'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/api.ts'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/count.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Time } from '../../ui/time.tsx'
import { adminQueries } from './admin-queries.ts'
import { Allowed, useAllowed } from './allowed.tsx'
import { MessageDialog } from './message-dialog.tsx'
import { formatSegment, formatSendProgress } from './outreach-texts.ts'
import { QueryRows } from './query-rows.tsx'
import { refreshWithAudit } from './refresh.ts'
import { useAdminAction } from './use-admin-action.ts'

/** Messages that were sent to segments by email or channel, with their progress. */
export function MessagesPanel() {
  const query = useInfiniteQuery(adminQueries.messages)
  const [isWriting, setWriting] = useState(false)
  const items = query.data?.pages.flatMap((page) => page.items) ?? []
  const unsubscribedCount = query.data?.pages[0]?.unsubscribed ?? 0
  return (
    <Panel
      title="Messages"
      detail={unsubscribedCount > 0 ? `${formatCount(unsubscribedCount)} unsubscribed from news` : undefined}
      actions={
        <Allowed to="outreach.send">
          <Button size="sm" onClick={() => setWriting(true)}>
            <Plus aria-hidden size={16} strokeWidth={2.25} />
            New message
          </Button>
        </Allowed>
      }
      flush
      footer={query.hasNextPage ? <LoadMore query={query}>Newest first</LoadMore> : undefined}
    >
      <QueryRows
        query={query}
        loading={{ label: 'Loading messages', rows: 3 }}
        failed="Failed to fetch messages"
        empty={
          <EmptyState title="No messages yet">
            A message goes once to each user of a segment, for example to those whose plan ends within 3 days. You see
            the exact number of recipients and the text before it is sent.
          </EmptyState>
        }
      >
        {items.length > 0 && (
          <ul aria-label="Messages" className="divide-y divide-line-1">
            {items.map((message) => (
              <Row key={message.id} message={message} />
            ))}
          </ul>
        )}
      </QueryRows>
      {isWriting && <MessageDialog onClose={() => setWriting(false)} />}
    </Panel>
  )
}

const stateStyles: Record<AdminMessage['state'], { tone: BadgeTone; word: string }> = {
  running: { tone: 'medium', word: 'Sending' },
  done: { tone: 'ok', word: 'Sent' },
  cancelled: { tone: 'neutral', word: 'Cancelled' },
}

function Row({ message }: { message: AdminMessage }) {
  const { id, subject, segment, via, kind, state, total, sent, skipped, createdAt } = message
  const mayCancel = useAllowed('outreach.send')
  const cancel = useAdminAction({
    run: () => call('cancelMessage', { params: { id } }),
    done: 'Message Cancelled',
    failed: 'The message could not be cancelled. Please try again.',
    refresh: (client) => refreshWithAudit(client, adminQueries.messages.queryKey),
  })
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-6 gap-y-2 px-5 py-2.5 text-base phone:px-4">
      <span className="min-w-60 flex-1 wrap-anywhere">
        <span className="font-medium">{subject}</span>
        <span className="block text-hint text-2">
          {formatSegment(segment)}, by {via}
          {kind === 'service' && ', about the service'}, <Time at={createdAt} show="date" />
        </span>
      </span>
      <span className="w-56 phone:w-full">
        <span className="block text-hint text-2">{formatSendProgress(message)}</span>
        {state === 'running' && (
          <progress
            aria-label={`Progress of ${subject}`}
            value={sent + skipped}
            max={Math.max(1, total)}
            className="mt-1 block h-1 w-full accent-signal"
          />
        )}
      </span>
      <Badge tone={stateStyles[state].tone}>{stateStyles[state].word}</Badge>
      {mayCancel && state === 'running' && (
        <Button
          size="sm"
          variant="ghost"
          busy={cancel.isPending}
          aria-label={`Cancel: ${subject}`}
          onClick={() => cancel.mutate()}
        >
          Cancel
        </Button>
      )}
    </li>
  )
}
