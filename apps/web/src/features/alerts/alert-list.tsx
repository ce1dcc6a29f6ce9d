import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import type { UserAlert } from './alert-filter.ts'
import { CompactHeads, CompactRow } from './compact-row.tsx'
import { ReadFailure } from './read-failure.tsx'

const firstRows = 20
const moreRows = 50

type AlertListProps = {
  /** What the filter lets through, newest first. */
  alerts: readonly UserAlert[]
  /** How many there are without the filter. */
  total: number
  state: 'pending' | 'failed' | 'read'
  /** The alert that the address names: shown opened. */
  linkedId: string | null
  onRead: (id: string) => void
  onRetry: () => void
  onClearFilter: () => void
  pill: ReactNode
  /** Over the first row, once the list is there. */
  notice: ReactNode
}

export function AlertList(props: AlertListProps) {
  const { alerts, total, state, linkedId, onRead, onRetry, onClearFilter, pill, notice } = props
  const [limit, setLimit] = useState(firstRows)
  const [openId, setOpenId] = useState(linkedId)
  const [seenLink, setSeenLink] = useState(linkedId)
  // Another link while the page is open opens another row.
  if (seenLink !== linkedId) {
    setSeenLink(linkedId)
    setOpenId(linkedId)
  }
  const linkedIndex = alerts.findIndex(({ alert }) => alert.id === linkedId)
  const shown = alerts.slice(0, Math.max(limit, linkedIndex + 1))

  function toggle(id: string) {
    setOpenId((current) => (current === id ? null : id))
    onRead(id)
  }

  return (
    <Panel
      title="Alerts"
      flush
      className="mt-4"
      right={
        <>
          {pill}
          <span aria-live="polite" className="text-base text-2">
            {state === 'read' && `${alerts.length.toLocaleString('en-US')} ${alerts.length === 1 ? 'alert' : 'alerts'}`}
          </span>
        </>
      }
      footer={
        alerts.length > shown.length ? (
          <>
            Showing {shown.length.toLocaleString('en-US')} of {alerts.length.toLocaleString('en-US')}
            <button
              type="button"
              className="link touch-target ml-auto font-medium"
              onClick={() => setLimit(shown.length + moreRows)}
            >
              Load more
            </button>
          </>
        ) : undefined
      }
    >
      {state === 'read' && notice}
      {state === 'pending' ? (
        <SkeletonRows rows={8} label="Loading alerts" />
      ) : state === 'failed' ? (
        <ReadFailure onRetry={onRetry}>Failed to fetch alerts</ReadFailure>
      ) : shown.length > 0 ? (
        <>
          <CompactHeads />
          <ul>
            {shown.map((entry) => (
              <CompactRow
                key={entry.id}
                entry={entry}
                isOpen={entry.alert.id === openId}
                isTarget={entry.alert.id === linkedId}
                onToggle={toggle}
              />
            ))}
          </ul>
        </>
      ) : total === 0 ? (
        <EmptyState title="No alerts yet">Every alert that you may read will be listed here.</EmptyState>
      ) : (
        <EmptyState title="No alerts match" action={<Button onClick={onClearFilter}>Clear filters</Button>}>
          Search for something else, or choose another priority.
        </EmptyState>
      )}
    </Panel>
  )
}
