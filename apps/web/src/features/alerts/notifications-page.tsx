import type { ListedAlert } from '@tocsin/protocol'
import { ArrowUp, CheckCheck, Pause, Play, Undo2 } from 'lucide-react'
import { type Ref, useRef } from 'react'
import { CountBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/count.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { isFiltered } from '../alert/alert-search-params.ts'
import { isLocked } from '../alert/alert-texts.ts'
import { useAlertSearchParams } from '../alert/use-alert-search-params.ts'
import { useSelection } from '../alert/use-selection.ts'
import { useSubscription } from '../subscription/use-subscription.ts'
import { AlertList } from './alert-list.tsx'
import { formatAlertCount } from './count-texts.ts'
import { DensitySwitch } from './density-switch.tsx'
import { ExportMenu } from './export-menu.tsx'
import { FilterBar } from './filter-bar.tsx'
import { useLiveList } from './live-list.ts'
import { SampleNotice } from './sample-notice.tsx'
import { useAlertPages } from './use-alert-pages.ts'
import { useAlertReading } from './use-alert-reading.ts'
import { useOpenRow } from './use-open-row.tsx'
import { useSample } from './use-sample.ts'
import { useUnreadCount } from './use-unread-count.ts'

const getLogIndex = ({ alert }: ListedAlert) => alert.logIndex

export function NotificationsPage() {
  const { searchParams, refine, open, clear } = useAlertSearchParams()
  const { selection: chosenSelection, isPending, isWatchlistEmpty } = useSelection(searchParams)
  const { selection, ...sample } = useSample(chosenSelection)
  const plan = useSubscription()
  const reading = useAlertReading()
  const pages = useAlertPages(selection, reading.opened)
  const listRef = useRef<HTMLElement>(null)
  const liveList = useLiveList(pages.entries, getLogIndex, listRef, pages.first?.listKey)
  const unreadCount = useUnreadCount()
  const { openId, onToggle, linkedRow } = useOpenRow(
    { entries: liveList.shownItems, isSuccess: pages.isSuccess },
    reading,
  )

  function showNew() {
    liveList.showNew()
    listRef.current?.scrollIntoView({ block: 'start' })
  }

  // The user may have no plan and get a sample only after the subscription is loaded, so do not
  // show a list without its locked rows.
  const isPlanMissing = plan.isPending && plan.isError && hasLockedRows(pages)
  const retry = sample.retry ?? (isPlanMissing ? plan.retry : null)
  const hasFailed = pages.isError || retry !== null
  const isRead = pages.data && !isPending && !sample.isPending && !isPlanMissing
  const state = isRead ? 'read' : hasFailed ? 'failed' : 'pending'
  const countLabel = pages.total && formatAlertCount(pages.total)
  return (
    <div className="mx-auto max-w-[1440px]">
      <header className="flex flex-wrap items-center gap-3">
        <h1 className="text-h1">Notifications</h1>
        <CountBadge count={unreadCount} className="h-6 min-w-6" />
        <span role="status" className="text-body text-2 phone:sr-only">
          {reading.marked ? `${reading.marked.count} marked as read` : unreadCount > 0 && 'unread'}
        </span>
        <div className="ml-auto flex gap-2 phone:gap-1">
          <PauseButton isPaused={liveList.isPaused} onChange={liveList.setIsPaused} />
          <ExportMenu selection={selection} title={countLabel ? `${countLabel} to export` : 'Selected alerts'} />
          <MarkAllButton
            ref={reading.undoButton}
            isUndo={reading.marked !== null}
            busy={reading.isMarking}
            // Before the first page, it is unknown which alerts the user has seen.
            isEmpty={unreadCount === 0 || !pages.first}
            onMark={() => reading.markAll(findNewestSeenIndex(pages, liveList.waitingCount), pages.arrived)}
            onUndo={reading.undo}
          />
        </div>
      </header>
      <FilterBar
        searchParams={searchParams}
        counts={pages.first?.byPriority}
        onRefine={refine}
        onOpenView={open}
        onClear={clear}
      />
      <AlertList
        list={listRef}
        entries={liveList.shownItems}
        state={state}
        isBusy={pages.isPlaceholderData}
        showsPreviousSelection={pages.showsPreviousSelection}
        filter={isWatchlistEmpty ? 'no-watchlist' : isFiltered(searchParams) ? 'some' : 'none'}
        count={countLabel ?? ''}
        tools={<DensitySwitch className="max-lg:hidden" />}
        total={pages.hasNextPage ? -1 : pages.entries.length}
        listKey={pages.first?.listKey}
        isMoreComing={pages.hasNextPage && !pages.isFetchNextPageError}
        openId={openId}
        targetId={openId}
        leadingContent={
          <>
            {sample.isSample && (
              <div className="*:border-x-0 *:border-t-0 *:px-5 phone:*:px-4">
                <SampleNotice />
              </div>
            )}
            {linkedRow}
          </>
        }
        newAlertsButton={<NewAlertsButton waiting={liveList.waitingCount} onClick={showNew} />}
        footer={<ListFoot pages={pages} count={countLabel ?? ''} />}
        onToggle={onToggle}
        onNearEnd={pages.loadNextPage}
        onRetry={retry ?? (() => void pages.refetch())}
        onClear={clear}
      />
    </div>
  )
}

type Pages = ReturnType<typeof useAlertPages>

const hasLockedRows = ({ data }: Pages) =>
  data?.pages.some(({ items }) => items.some(({ alert }) => isLocked(alert))) === true

/**
 * Returns the log index up to which the user has seen all alerts. It excludes new alerts that are
 * waiting above the list.
 */
function findNewestSeenIndex({ first, arrived, entries }: Pages, waitingCount: number): number {
  const oldestWaitingIndex = entries[waitingCount - 1]?.alert.logIndex
  if (oldestWaitingIndex !== undefined) return oldestWaitingIndex - 1
  return Math.max(first?.lastIndex ?? 0, ...arrived.map(({ logIndex }) => logIndex))
}

function PauseButton({ isPaused, onChange }: { isPaused: boolean; onChange: (isPaused: boolean) => void }) {
  const Icon = isPaused ? Play : Pause
  return (
    <Button
      variant="ghost"
      data-keys="p"
      title={isPaused ? 'Resume (p)' : 'Pause (p)'}
      onClick={() => onChange(!isPaused)}
    >
      <Icon aria-hidden size={16} />
      <span className="phone:sr-only">{isPaused ? 'Resume' : 'Pause'}</span>
    </Button>
  )
}

type MarkAllButtonProps = {
  ref: Ref<HTMLButtonElement>
  isUndo: boolean
  busy: boolean
  isEmpty: boolean
  onMark: () => void
  onUndo: () => void
}

/**
 * Button that marks all alerts as read. Afterwards the same button undoes this, so that it keeps
 * the focus and nothing moves.
 */
function MarkAllButton({ ref, isUndo, busy, isEmpty, onMark, onUndo }: MarkAllButtonProps) {
  const Icon = isUndo ? Undo2 : CheckCheck
  return (
    <Button
      ref={ref}
      busy={busy}
      disabled={isEmpty && !isUndo && !busy}
      onClick={isUndo ? onUndo : onMark}
      className="min-w-35 phone:min-w-11"
    >
      <Icon aria-hidden size={16} strokeWidth={2.25} />
      <span className={isUndo ? undefined : 'phone:sr-only'}>{isUndo ? 'Undo' : 'Mark all read'}</span>
    </Button>
  )
}

function NewAlertsButton({ waiting, onClick }: { waiting: number; onClick: () => void }) {
  if (waiting === 0) return null
  return (
    <Button
      size="sm"
      variant="primary"
      data-keys="."
      title="Show new (.)"
      className="animate-fade shadow-float"
      onClick={onClick}
    >
      <ArrowUp aria-hidden size={16} strokeWidth={2.25} />
      {`${waiting} new`}
    </Button>
  )
}

/**
 * Shows how many alerts are loaded. More alerts are loaded by scrolling or by the button, and after
 * a failure only by the button.
 */
function ListFoot({ pages, count }: { pages: Pages; count: string }) {
  const { entries, hasNextPage } = pages
  return (
    <LoadMore query={pages}>
      {hasNextPage ? `Showing ${formatCount(entries.length)} of ${count}` : `All ${count} shown`}
    </LoadMore>
  )
}
