import { useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense } from 'react'
import { queries } from '../../api/queries.ts'
import { useUser } from '../../session/auth.tsx'
import { formatCount } from '../../ui/count.ts'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton, SkeletonRows } from '../../ui/skeleton.tsx'
import { adminQueries } from './admin-queries.ts'
import { AdminQueryError } from './admin-query-error.tsx'
import { ChainPanel } from './chain-panel.tsx'
import { ChannelsPanel } from './channels-panel.tsx'
import { FeedPanel } from './feed-panel.tsx'
import { RefusedSignals } from './refused-signals.tsx'
import { SubViews } from './sub-views.tsx'
import { SystemFigures } from './system-figures.tsx'
import { SystemStatusPanel } from './system-status-panel.tsx'
import { UnmatchedSummary } from './unmatched-summary.tsx'
import { useAdminSearchParams } from './use-admin-search-params.ts'

const AuditPanel = lazyLoad(async () => (await import('./audit-panel.tsx')).AuditPanel)
const EngineView = lazyLoad(async () => (await import('./engine-view.tsx')).EngineView)
const InstancesView = lazyLoad(async () => (await import('./instances-view.tsx')).InstancesView)
const ProtectedPanel = lazyLoad(async () => (await import('./protected-panel.tsx')).ProtectedPanel)
const SecurityLogPanel = lazyLoad(async () => (await import('./security-log-panel.tsx')).SecurityLogPanel)

const views = [
  { label: 'Overview', view: undefined, needs: 'settings.read' },
  { label: 'Engine', view: 'engine', needs: 'settings.read' },
  { label: 'Instances', view: 'instances', needs: 'settings.read' },
  { label: 'Audit log', view: 'audit', needs: 'audit.read' },
  { label: 'Security log', view: 'security', needs: 'audit.read' },
] as const

export function DashboardTab() {
  const { view } = useAdminSearchParams()
  const { permissions } = useUser()
  const allowedViews = views.filter(({ needs }) => permissions.includes(needs))
  const currentView = allowedViews.find((one) => one.view === view)?.view
  return (
    <div className="flex flex-col gap-4">
      {allowedViews.length > 1 && (
        <SubViews label="Dashboard" tab="dashboard" current={currentView} views={allowedViews} />
      )}
      <Suspense fallback={<SkeletonRows label="Loading the view" rows={6} />}>
        {currentView === 'audit' && <AuditPanel />}
        {currentView === 'engine' && <EngineView />}
        {currentView === 'instances' && <InstancesView />}
        {currentView === 'security' && <SecurityLogPanel />}
        {currentView === undefined && <Overview />}
      </Suspense>
    </div>
  )
}

function Overview() {
  return (
    <>
      <StatCards />
      <div className="grid gap-4 md:grid-cols-[minmax(0,13fr)_minmax(0,10fr)] xl:grid-cols-[416fr_512fr_400fr]">
        <div className="grid min-w-0 md:max-xl:col-span-2">
          <SystemStatusPanel />
        </div>
        <FeedPanel />
        <ChainPanel />
      </div>
      <Suspense>
        <ProtectedPanel />
      </Suspense>
      <UnmatchedSummary />
      <SystemFigures />
      <ChannelsPanel />
      <RefusedSignals />
    </>
  )
}

/**
 * Four statistics, polled every 30 s. The counts below the first three are from the system status.
 */
function StatCards() {
  const query = useQuery(adminQueries.stats)
  const { data: stats, error } = query
  const { data: status } = useQuery(queries.status)
  if (error && !stats) {
    return (
      <Panel>
        <AdminQueryError fallback="Failed to fetch admin statistics" query={query} />
      </Panel>
    )
  }
  return (
    <>
      <dl className="grid grid-cols-4 gap-4 max-lg:grid-cols-2 phone:gap-3">
        <StatCard label="Total Alerts" detail={status && `${formatCount(status.alerts.last24Hours)} in the last 24 h`}>
          {stats && formatCount(stats.totalAlerts)}
        </StatCard>
        <StatCard
          label="Critical Alerts"
          detail={status && `${formatCount(status.alerts.criticalLast24Hours)} in the last 24 h`}
        >
          {stats && formatCount(stats.criticalAlerts)}
        </StatCard>
        <StatCard label="Active Users" detail={status && `${formatCount(status.stream.connected)} connected now`}>
          {stats && formatCount(stats.activeUsers)}
        </StatCard>
        <StatCard
          label="Avg Confidence"
          detail={stats && (stats.totalAlerts > 0 ? 'Over all alerts' : 'No alerts yet')}
        >
          {stats && (stats.totalAlerts > 0 ? `${stats.averageConfidence.toFixed(1)}%` : '—')}
        </StatCard>
      </dl>
      {error && (
        <p role="status" className="text-hint text-2">
          Failed to fetch admin statistics. Showing the last known values.
        </p>
      )}
    </>
  )
}

function StatCard({ label, detail, children }: { label: string; detail: string | undefined; children: ReactNode }) {
  return (
    <div className="corner-ticks border border-line-1 bg-ink-1 p-5 phone:p-4">
      <dt className="text-label wrap-anywhere max-[374px]:min-h-8">{label}</dt>
      <dd className="mt-1.5 h-10 text-number leading-10">
        {children ?? <Skeleton className="mt-2 inline-block h-6 w-24" />}
      </dd>
      <dd className="min-h-4 text-hint text-2">{detail}</dd>
    </div>
  )
}
