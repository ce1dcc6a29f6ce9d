import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { offlineMs, useStreamStatus } from '../../stream/stream-status.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/count.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatAge } from '../../ui/format-duration.ts'
import { Figure, FigureRow } from '../../ui/key-value.tsx'
import { useNow } from '../../ui/now.ts'
import { Panel } from '../../ui/panel.tsx'
import { ReadFailure } from '../../ui/read-failure.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { useWallet } from '../../wallet/wallet.tsx'
import { ActivityTable } from '../account/activity-table.tsx'
import { durationWords } from '../alert/alert-words.ts'
import { PlansPanel } from '../subscription/plans-panel.tsx'
import { SubscriptionCard } from '../subscription/subscription-card.tsx'
import { ConnectGate } from './connect-gate.tsx'
import { InsightsPanel } from './insights-panel.tsx'
import { PerformanceCard } from './performance-card.tsx'
import { Restoring } from './restoring.tsx'
import { SystemCard } from './system-card.tsx'
import { useDayCounts } from './use-day-counts.ts'

export function DashboardPage() {
  const { status } = useWallet()
  if (status === 'connected') return <Dashboard />
  return status === 'reconnecting' ? <Restoring /> : <ConnectGate />
}

function Dashboard() {
  return (
    <div className="mx-auto grid max-w-[1440px] gap-4">
      <header className="lg:pb-2">
        <h1 className="text-h1">Market Insights Dashboard</h1>
        <p className="mt-1 text-body text-2">Real-time anomaly detection and market signals</p>
        <DayFigures />
      </header>
      <div className="grid grid-cols-[minmax(0,478fr)_minmax(396px,414fr)_minmax(244px,244fr)] gap-4 max-xl:grid-cols-[minmax(0,1fr)_244px] max-xl:*:first:col-span-2 phone:grid-cols-1 phone:*:first:col-span-1">
        <SubscriptionCard />
        <PerformanceCard />
        <SystemCard />
      </div>
      <InsightsPanel />
      <PlansPanel />
      <ActivityPanel />
    </div>
  )
}

/** Measured figures of the last 24 hours. "Offline" is the offline time of this browser. */
function DayFigures() {
  const { data } = useQuery(queries.status)
  const { gaps, isWanted } = useStreamStatus()
  const offline = useNow((nowMs) => formatAge(offlineMs(gaps, nowMs)))
  const day = useDayCounts()
  const median = data?.alerts.medianToAnchorMs
  return (
    <FigureRow className="mt-5">
      <Figure label="Alerts, 24 h">{day ? formatCount(day.total) : '—'}</Figure>
      <Figure label="Critical">{day ? formatCount(day.critical) : '—'}</Figure>
      <Figure label="Median to anchor">{median === null || median === undefined ? '—' : durationWords(median)}</Figure>
      <Figure label="Offline, 24 h">{isWanted || gaps.length > 0 ? offline : '—'}</Figure>
    </FigureRow>
  )
}

const shownRows = 3

/** The last three activities of this account. */
function ActivityPanel() {
  const activity = useQuery(queries.activity)
  const viewAll = (
    <Button size="sm" variant="ghost" asChild className="-mr-2">
      <Link to={paths.history}>View all</Link>
    </Button>
  )
  return (
    <Panel title="Recent activity" right={viewAll} flush>
      {activity.isPending ? (
        <SkeletonRows rows={shownRows} label="Loading activity" />
      ) : activity.isError ? (
        <ReadFailure onRetry={() => void activity.refetch()}>The activity could not be loaded.</ReadFailure>
      ) : activity.data.length === 0 ? (
        <EmptyState title="No activity yet">Sign-ins, payments and verified alerts will appear here.</EmptyState>
      ) : (
        <ActivityTable rows={activity.data.slice(0, shownRows)} />
      )}
    </Panel>
  )
}
