import { useInfiniteQuery } from '@tanstack/react-query'
import type { ScheduledAlert } from '@tocsin/protocol'
import { useState } from 'react'
import { call } from '../../api/api.ts'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { adminQueries } from './admin-queries.ts'
import { AdminQueryError } from './admin-query-error.tsx'
import { useAllowed } from './allowed.tsx'
import { refreshWithAudit } from './refresh.ts'
import { ScheduleDialog } from './schedule-dialog.tsx'
import { useAdminAction } from './use-admin-action.ts'

const stateStyles: Record<ScheduledAlert['state'], { tone: BadgeTone; word: string }> = {
  waiting: { tone: 'medium', word: 'Scheduled' },
  issued: { tone: 'ok', word: 'Issued' },
  cancelled: { tone: 'neutral', word: 'Cancelled' },
  missed: { tone: 'critical', word: 'Missed' },
}

/** All scheduled alerts, with their state. Hidden if no alert was ever scheduled. */
export function ScheduledPanel() {
  const query = useInfiniteQuery(adminQueries.scheduled)
  const items = query.data?.pages.flatMap((page) => page.items) ?? []
  if (query.error && !query.data) {
    return (
      <Panel title="Scheduled alerts">
        <AdminQueryError fallback="Failed to fetch the scheduled alerts" query={query} />
      </Panel>
    )
  }
  if (items.length === 0) return null
  return (
    <Panel
      title="Scheduled alerts"
      flush
      footer={query.hasNextPage ? <LoadMore query={query}>Latest time first</LoadMore> : undefined}
    >
      <ul aria-label="Scheduled alerts" className="max-h-72 divide-y divide-line-1 overflow-y-auto">
        {items.map((scheduled) => (
          <Row key={scheduled.id} scheduled={scheduled} />
        ))}
      </ul>
    </Panel>
  )
}

function Row({ scheduled }: { scheduled: ScheduledAlert }) {
  const { id, asset, anomalyType, regime, summary, priority, confidence, issueAt, state, problem } = scheduled
  const mayChange = useAllowed('alerts.publish') && state === 'waiting'
  const [isEditing, setEditing] = useState(false)
  const cancel = useAdminAction({
    run: () => call('cancelScheduledAlert', { params: { id } }),
    done: 'Schedule Cancelled',
    failed: 'The schedule could not be cancelled. Please try again.',
    refresh: (client) => refreshWithAudit(client, adminQueries.scheduled.queryKey),
  })
  const name = `${asset}, ${summary}`
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-2 px-5 py-2.5 text-base phone:px-4">
      <PriorityGlyph priority={priority} />
      <span className="min-w-48 flex-1 wrap-anywhere">
        <span className="font-medium">{asset}</span> {anomalyType}
        <span className="block text-hint text-2">{problem === null ? summary : `${summary} ${problem}`}</span>
      </span>
      <span className="text-data">
        <Time at={issueAt} show="date" /> <ZoneName />
      </span>
      <Badge tone={stateStyles[state].tone}>{stateStyles[state].word}</Badge>
      {mayChange && (
        <>
          <Button size="sm" aria-label={`Edit: ${name}`} onClick={() => setEditing(true)}>
            Edit
          </Button>
          <Button
            size="sm"
            variant="ghost"
            busy={cancel.isPending}
            aria-label={`Cancel: ${name}`}
            onClick={() => cancel.mutate()}
          >
            Cancel
          </Button>
        </>
      )}
      {isEditing && (
        <ScheduleDialog
          initial={{ asset, anomalyType, regime, summary, priority, confidence: String(confidence), broadcast: true }}
          changes={{ id, issueAt }}
          onClose={() => setEditing(false)}
        />
      )}
    </li>
  )
}
