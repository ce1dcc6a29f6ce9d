import { Link } from '@tanstack/react-router'
import { ArrowUp } from 'lucide-react'
import { useState } from 'react'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/count.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { QueryError } from '../../ui/query-error.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { isFiltered } from '../alert/alert-search-params.ts'
import { isLocked } from '../alert/alert-texts.ts'
import { DashboardListHeader, DashboardRow, useDashboardLayout } from '../alerts/dashboard-row.tsx'
import { NoAlerts } from '../alerts/no-alerts.tsx'
import { formatDayLabel, useDayHeadings } from '../alerts/use-day-headings.ts'
import { VirtualRows } from '../alerts/virtual-rows.tsx'
import { showsAllAttribute } from '../live/listed-alert.ts'
import { DashboardToolbar } from './dashboard-toolbar.tsx'
import type { Dashboard } from './use-dashboard.ts'

/** Maximum number of rows on narrow screens, so that the cards below the list can be reached. */
const narrowRowLimit = 20

type DashboardListProps = {
  dashboard: Dashboard
  /** True if the detail is beside the list. List and detail then scroll separately. */
  isSideBySide: boolean
  /** Id of the alert that the detail shows. */
  selectedId: string | null
}

export function DashboardList({ dashboard, isSideBySide, selectedId }: DashboardListProps) {
  const { pages, list, live, searchParams, clear } = dashboard
  const { layout, rowPx } = useDashboardLayout()
  const shownEntries = isSideBySide ? live.shownItems : live.shownItems.slice(0, narrowRowLimit)
  const isTruncated = shownEntries.length < live.shownItems.length
  const heads = useDayHeadings(shownEntries, !pages.hasNextPage && !isTruncated)
  const [firstVisibleIndex, setFirstVisibleIndex] = useState(0)
  const dayHeading = heads.filter(({ index }) => index <= firstVisibleIndex).at(-1)
  const isLoaded = pages.data && !dashboard.isPending
  return (
    <section
      aria-label="Alerts"
      {...(isLoaded && !isFiltered(searchParams) && { [showsAllAttribute]: true })}
      className="flex min-w-0 flex-1 flex-col"
    >
      <DashboardToolbar dashboard={dashboard} />
      <div data-scroller={isSideBySide || undefined} className="relative min-h-0 flex-1 lg:overflow-y-auto">
        <div className="sticky top-14 z-10 lg:top-0">
          <DashboardListHeader layout={layout} day={dayHeading ? formatDayLabel(dayHeading) : null} />
          <NewAlertsButton dashboard={dashboard} />
        </div>
        {isLoaded ? (
          shownEntries.length > 0 ? (
            <div
              aria-busy={pages.isPlaceholderData}
              className={pages.showsPreviousSelection ? 'opacity-60' : undefined}
            >
              <VirtualRows
                list={list}
                entries={shownEntries}
                rowPx={rowPx}
                targetId={dashboard.linked.id}
                total={pages.hasNextPage ? -1 : live.shownItems.length}
                listKey={pages.first?.listKey}
                isMoreComing={isSideBySide && pages.hasNextPage && !pages.isFetchNextPageError}
                headings={heads.slice(1).map((head) => ({
                  index: head.index,
                  content: <DashboardListHeader layout={layout} day={formatDayLabel(head)} />,
                }))}
                onNearEnd={isSideBySide ? pages.loadNextPage : ignoreNearEnd}
                onFirstVisibleRowChange={setFirstVisibleIndex}
                renderRow={({ id, alert, isRead }, _open, isTabStop) =>
                  isLocked(alert) ? null : (
                    <DashboardRow
                      alert={alert}
                      isRead={isRead}
                      layout={layout}
                      rowPx={rowPx}
                      isSelected={id === selectedId}
                      isTabStop={isTabStop}
                      onSelect={dashboard.select}
                    />
                  )
                }
              />
            </div>
          ) : (
            <NoAlerts
              filter={dashboard.isWatchlistEmpty ? 'no-watchlist' : isFiltered(searchParams) ? 'some' : 'none'}
              onClear={clear}
            >
              Market alerts will appear here as they are issued.
            </NoAlerts>
          )
        ) : dashboard.retry ? (
          <QueryError onRetry={dashboard.retry}>Failed to fetch alerts</QueryError>
        ) : (
          <SkeletonRows rows={10} label="Loading alerts" />
        )}
        {isLoaded && shownEntries.length > 0 && (
          <footer className="flex min-h-11 items-center gap-3 px-4 text-base text-2">
            {isSideBySide ? (
              <LoadMore query={pages}>{`${formatCount(shownEntries.length)} alerts shown`}</LoadMore>
            ) : (
              <Link to={paths.notifications} className="link touch-target">
                All alerts
              </Link>
            )}
          </footer>
        )}
      </div>
    </section>
  )
}

const ignoreNearEnd = () => {}

function NewAlertsButton({ dashboard: { live, list } }: { dashboard: Dashboard }) {
  if (live.waitingCount === 0) return null
  const showNew = () => {
    live.showNew()
    list.current?.closest('[data-scroller]')?.scrollTo({ top: 0 })
  }
  return (
    <div className="absolute inset-x-0 top-0 flex h-6 items-center justify-center">
      <Button size="sm" data-keys="." title="Show new (.)" onClick={showNew} className="bg-ink-2! shadow-float">
        <ArrowUp aria-hidden size={16} strokeWidth={2.25} />
        {`${live.waitingCount} new`}
      </Button>
    </div>
  )
}
