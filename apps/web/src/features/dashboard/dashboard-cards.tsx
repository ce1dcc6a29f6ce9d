import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Alert, AlertSelection, ReadableAlert } from '@tocsin/protocol'
import { memo, useDeferredValue, useMemo } from 'react'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/count.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { addNoBreakSpaces } from '../../ui/keep-units.ts'
import { Panel } from '../../ui/panel.tsx'
import { QueryError } from '../../ui/query-error.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { ActivityTable } from '../account/activity-table.tsx'
import { AlertLink } from '../alert/alert-link.tsx'
import { alertQueries } from '../alert/alert-queries.ts'
import { extractClause, isLocked } from '../alert/alert-texts.ts'
import { PlansPanel } from '../subscription/plans-panel.tsx'
import { SubscriptionCard } from '../subscription/subscription-card.tsx'
import { PerformanceCard } from './performance-card.tsx'
import { SystemCard } from './system-card.tsx'
import { useDayCount } from './use-day-count.ts'

/** Cards with the subscription, the track record and the state of the system. */
export const DashboardCards = memo(function DashboardCards({ id, className }: { id: string; className?: string }) {
  return (
    <div
      id={id}
      className={classNames(
        'grid grid-cols-[minmax(0,478fr)_minmax(396px,414fr)_minmax(244px,244fr)] gap-4 max-xl:grid-cols-[minmax(0,1fr)_244px] max-xl:*:first:col-span-2 phone:grid-cols-1 phone:*:first:col-span-1',
        className,
      )}
    >
      <SubscriptionCard />
      <PerformanceCard />
      <SystemCard />
    </div>
  )
})

const Plans = memo(PlansPanel)

type LiveInsightsProps = {
  /** Selection of the alert list without its filters. */
  selection: AlertSelection
}

/** Panels with the newest alerts, the activity and the plans. */
export const DashboardPanels = memo(function DashboardPanels({ selection }: LiveInsightsProps) {
  return (
    <>
      <div className="grid gap-4 xl:grid-cols-2">
        <LiveInsights selection={selection} />
        <ActivityPanel />
      </div>
      <Plans />
    </>
  )
})

const insightLimit = 5

const noItems: never[] = []

/** A summary of the newest alerts, which does not depend on the filters of the list. */
export function LiveInsights({ selection }: LiveInsightsProps) {
  const dayCount = useDayCount()
  // The query sends a request only if the list was opened with filters. Otherwise the list has
  // loaded these alerts.
  const list = useInfiniteQuery({ ...alertQueries.pages(selection), refetchOnMount: false })
  const listedEntries = list.data?.pages[0]?.items
  const { data: recent = noItems } = useQuery(queries.recentAlerts)
  const newestAlerts = useMemo(
    () => selectNewestAlerts([...(listedEntries ?? noItems).map(({ alert }) => alert), ...recent]),
    [listedEntries, recent],
  )
  // Without a plan, the selection is limited to public alerts only once the configuration is known,
  // so until then all alerts of the list may be locked.
  const config = useQuery(queries.config)
  const hasOnlyLocked = newestAlerts.length === 0 && listedEntries !== undefined && listedEntries.length > 0
  const query = hasOnlyLocked && config.data === undefined ? config : list
  // Deferred, so that the rows of the list are rendered first.
  const shownAlerts = useDeferredValue(newestAlerts)
  const viewAll = (
    <Button size="sm" variant="ghost" asChild className="-mr-2">
      <Link to={paths.notifications}>View all</Link>
    </Button>
  )
  return (
    <Panel
      title="Live insights"
      detail={dayCount === null ? undefined : `${formatCount(dayCount)} in 24 h`}
      actions={viewAll}
      flush
    >
      {query.isPending ? (
        <SkeletonRows rows={insightLimit} label="Loading insights" />
      ) : query.isLoadingError ? (
        <QueryError onRetry={() => void query.refetch()}>Failed to fetch alerts</QueryError>
      ) : newestAlerts.length === 0 ? (
        <EmptyState title="No alerts yet">Market alerts will appear here as they are issued.</EmptyState>
      ) : (
        <InsightRows alerts={shownAlerts} />
      )}
    </Panel>
  )
}

/** Returns the newest readable alerts of a list that may contain alerts twice. */
function selectNewestAlerts(alerts: readonly ReadableAlert[]): readonly Alert[] {
  const readable = alerts.filter((alert): alert is Alert => !isLocked(alert))
  const byIndex = new Map(readable.map((alert) => [alert.logIndex, alert]))
  return [...byIndex.values()].sort((a, b) => b.logIndex - a.logIndex).slice(0, insightLimit)
}

const InsightRows = memo(function InsightRows({ alerts }: { alerts: readonly Alert[] }) {
  return (
    <ul className="divide-y divide-line-1">
      {alerts.map((alert) => (
        <li key={alert.id} className="flex min-h-11 items-center gap-3 px-5 text-base phone:px-4">
          <PriorityGlyph priority={alert.priority} />
          <AlertLink id={alert.id} className="link touch-target max-w-2/5 truncate font-medium">
            {alert.asset}
          </AlertLink>
          <span className="min-w-0 flex-1 truncate text-2">{addNoBreakSpaces(extractClause(alert))}</span>
          <Time at={alert.createdAt} show="relative" className="text-hint text-2" />
        </li>
      ))}
    </ul>
  )
})

const activityRowLimit = 3

/** The last three activities of this account. */
const ActivityPanel = memo(function ActivityPanel() {
  const activity = useQuery(queries.activity)
  const viewAll = (
    <Button size="sm" variant="ghost" asChild className="-mr-2">
      <Link to={paths.history}>View all</Link>
    </Button>
  )
  return (
    <Panel title="Recent activity" actions={viewAll} flush>
      {activity.isPending ? (
        <SkeletonRows rows={activityRowLimit} label="Loading activity" />
      ) : activity.isError ? (
        <QueryError onRetry={() => void activity.refetch()}>The activity could not be loaded.</QueryError>
      ) : activity.data.length === 0 ? (
        <EmptyState title="No activity yet">Sign-ins, payments and verified alerts will appear here.</EmptyState>
      ) : (
        <ActivityTable rows={activity.data.slice(0, activityRowLimit)} />
      )}
    </Panel>
  )
})
