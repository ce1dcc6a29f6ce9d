import { useInfiniteQuery } from '@tanstack/react-query'
import type { AdminAnnouncement } from '@tocsin/protocol'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/api.ts'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { adminQueries } from './admin-queries.ts'
import { Allowed, useAllowed } from './allowed.tsx'
import { AnnouncementDialog } from './announcement-dialog.tsx'
import { audienceLabels } from './outreach-texts.ts'
import { QueryRows } from './query-rows.tsx'
import { refreshWithAudit } from './refresh.ts'
import { useAdminAction } from './use-admin-action.ts'

/** Banners at the top of the pages. */
export function AnnouncementsPanel() {
  const query = useInfiniteQuery(adminQueries.announcements)
  const [isCreating, setCreating] = useState(false)
  const items = query.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <Panel
      title="Announcements"
      actions={
        <Allowed to="outreach.send">
          <Button size="sm" onClick={() => setCreating(true)}>
            <Plus aria-hidden size={16} strokeWidth={2.25} />
            New announcement
          </Button>
        </Allowed>
      }
      flush
      footer={query.hasNextPage ? <LoadMore query={query}>Newest first</LoadMore> : undefined}
    >
      <QueryRows
        query={query}
        loading={{ label: 'Loading announcements', rows: 2 }}
        failed="Failed to fetch announcements"
        empty={
          <EmptyState title="No announcements yet">
            An announcement is one sentence at the top of the pages, for everyone or for some users, until a time that
            you choose. Readers can dismiss it.
          </EmptyState>
        }
      >
        {items.length > 0 && (
          <ul aria-label="Announcements" className="divide-y divide-line-1">
            {items.map((item) => (
              <Row key={item.id} item={item} />
            ))}
          </ul>
        )}
      </QueryRows>
      {isCreating && <AnnouncementDialog onClose={() => setCreating(false)} />}
    </Panel>
  )
}

const stateStyles: Record<AdminAnnouncement['state'], { tone: BadgeTone; word: string }> = {
  scheduled: { tone: 'medium', word: 'Scheduled' },
  shown: { tone: 'ok', word: 'Shown' },
  over: { tone: 'neutral', word: 'Over' },
  ended: { tone: 'neutral', word: 'Ended' },
}

function Row({ item: { id, text, audience, onPublicPages, state, from, until } }: { item: AdminAnnouncement }) {
  const mayEnd = useAllowed('outreach.send')
  const end = useAdminAction({
    run: () => call('endAnnouncement', { params: { id } }),
    done: 'Announcement Ended',
    failed: 'The announcement could not be ended. Please try again.',
    refresh: (client) => refreshWithAudit(client, adminQueries.announcements.queryKey),
  })
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-6 gap-y-2 px-5 py-2.5 text-base phone:px-4">
      <span className="min-w-60 flex-1 wrap-anywhere">
        {text}
        <span className="block text-hint text-2">
          {audienceLabels[audience]}
          {onPublicPages && ', also on public pages'}, <Time at={from} show="date" /> to <Time at={until} show="date" />{' '}
          <ZoneName />
        </span>
      </span>
      <Badge tone={stateStyles[state].tone}>{stateStyles[state].word}</Badge>
      {mayEnd && (state === 'shown' || state === 'scheduled') && (
        <Button size="sm" variant="ghost" busy={end.isPending} aria-label={`End: ${text}`} onClick={() => end.mutate()}>
          End
        </Button>
      )}
    </li>
  )
}
