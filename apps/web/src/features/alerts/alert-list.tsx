import type { ListedAlert } from '@tocsin/protocol'
import type { ReactNode, RefObject } from 'react'
import { Panel } from '../../ui/panel.tsx'
import { QueryError } from '../../ui/query-error.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { CompactHeader, CompactRow, useListLayout } from './compact-row.tsx'
import { type ListFilter, NoAlerts } from './no-alerts.tsx'
import { formatDayLabel, useDayHeadings } from './use-day-headings.ts'
import { VirtualRows } from './virtual-rows.tsx'

type AlertListProps = {
  list: RefObject<HTMLElement | null>
  entries: readonly ListedAlert[]
  state: 'pending' | 'failed' | 'read'
  /** True while the alerts of another selection load. */
  isBusy: boolean
  /** True while the rows of the previous selection are still shown. */
  showsPreviousSelection?: boolean
  filter: ListFilter
  /** Number of alerts in words, for example "37 alerts". */
  count: string
  /** Controls of the list beside the number of alerts. */
  tools?: ReactNode
  /** Total number of rows, or -1 if unknown. */
  total: number
  /** Identifies the list by its filters. */
  listKey: string | undefined
  isMoreComing: boolean
  openId: string | null
  targetId: string | null
  /** Shown above the first row: the subscription notice and the linked alert. */
  leadingContent: ReactNode
  /** Button that shows the new alerts that are waiting above the list. */
  newAlertsButton: ReactNode
  footer: ReactNode
  onToggle: (entry: ListedAlert) => void
  onNearEnd: () => void
  onRetry: () => void
  onClear: () => void
}

export function AlertList(props: AlertListProps) {
  const {
    entries,
    state,
    isBusy,
    showsPreviousSelection = false,
    filter,
    count,
    tools,
    total,
    leadingContent,
    newAlertsButton,
    footer,
    onToggle,
    onRetry,
    onClear,
  } = props
  const { layout, rowPx } = useListLayout()
  const days = useDayHeadings(entries, total !== -1)
  return (
    <Panel
      title="Alerts"
      flush
      className="mt-4"
      actions={
        <>
          <span aria-live="polite" className="text-base text-2">
            {state === 'read' && count}
          </span>
          {tools}
        </>
      }
      footer={state === 'read' && entries.length > 0 ? footer : undefined}
    >
      {/* The container has no height, so the button does not move the rows when it appears. */}
      <div className="sticky top-18 z-10 flex h-0 items-start justify-center">
        <div className="-mt-9">{newAlertsButton}</div>
      </div>
      {state === 'read' && leadingContent}
      {state === 'pending' ? (
        <SkeletonRows rows={10} label="Loading alerts" />
      ) : state === 'failed' ? (
        <QueryError onRetry={onRetry}>Failed to fetch alerts</QueryError>
      ) : entries.length > 0 ? (
        <div aria-busy={isBusy} className={showsPreviousSelection ? 'opacity-60 transition-opacity' : undefined}>
          <CompactHeader />
          <VirtualRows
            {...props}
            rowPx={rowPx}
            headings={days.map((day) => ({ index: day.index, content: <DayHeader>{formatDayLabel(day)}</DayHeader> }))}
            renderRow={(entry, open) => (
              <CompactRow
                entry={entry}
                layout={layout}
                rowPx={rowPx}
                isOpen={open !== null}
                onToggle={onToggle}
                {...open}
              />
            )}
          />
        </div>
      ) : (
        <NoAlerts filter={filter} onClear={onClear}>
          Alerts that you can read appear here.
        </NoAlerts>
      )}
    </Panel>
  )
}

/** Heading of a day. Its height must be that of the headings in `VirtualRows`. */
function DayHeader({ children }: { children: string }) {
  return (
    <p className="flex h-6 items-center border-t border-l-2 border-t-line-1 border-l-transparent pr-5 pl-4 text-label text-1 phone:pr-4 phone:pl-3">
      <span className="truncate">{children}</span>
    </p>
  )
}
