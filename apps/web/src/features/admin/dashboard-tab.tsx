import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { queries } from '../../api/queries.ts'
import { numberLocale } from '../../ui/locale.ts'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { adminQueries } from './admin-queries.ts'
import { AuditPanel } from './audit-panel.tsx'
import { ChainPanel } from './chain-panel.tsx'
import { ChannelsPanel } from './channels-panel.tsx'
import { EngineView } from './engine-view.tsx'
import { FeedPanel } from './feed-panel.tsx'
import { FetchFailure } from './fetch-failure.tsx'
import { RefusedSignals } from './refused-signals.tsx'
import { SubViews } from './sub-views.tsx'
import { SystemFigures } from './system-figures.tsx'
import { SystemStatusPanel } from './system-status-panel.tsx'
import { UnmatchedSummary } from './unmatched-summary.tsx'
import { useAdminPlace } from './use-admin-place.ts'

const views = [
  { label: 'Overview', view: undefined },
  { label: 'Engine', view: 'engine' },
  { label: 'Audit trail', view: 'audit' },
] as const

export function DashboardTab() {
  const { view } = useAdminPlace()
  const current = view === 'payments' ? undefined : view
  return (
    <div className="flex flex-col gap-4">
      <SubViews label="Dashboard" tab="dashboard" current={current} views={views} />
      {current === 'audit' ? <AuditPanel /> : current === 'engine' ? <EngineView /> : <Overview />}
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
      <UnmatchedSummary />
      <SystemFigures />
      <ChannelsPanel />
      <RefusedSignals />
    </>
  )
}

/** The four statistics, polled every 30 s. The line under each is from the system status. */
function StatCards() {
  const { data: stats, error, isFetching, refetch } = useQuery(adminQueries.stats)
  const { data: status } = useQuery(queries.status)
  if (error && !stats) {
    return (
      <Panel>
        <FetchFailure
          fallback="Failed to fetch admin statistics"
          error={error}
          isFetching={isFetching}
          onRetry={refetch}
        />
      </Panel>
    )
  }
  return (
    <>
      <dl className="grid grid-cols-4 gap-4 max-lg:grid-cols-2 phone:gap-3">
        <StatCard label="Total Alerts" detail={status && `${grouped(status.alerts.last24Hours)} in the last 24 h`}>
          {stats && grouped(stats.totalAlerts)}
        </StatCard>
        <StatCard
          label="Critical Alerts"
          detail={status && `${grouped(status.alerts.criticalLast24Hours)} in the last 24 h`}
        >
          {stats && grouped(stats.criticalAlerts)}
        </StatCard>
        <StatCard label="Active Users" detail={status && `${grouped(status.stream.connected)} connected now`}>
          {stats && grouped(stats.activeUsers)}
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

function grouped(count: number): string {
  return count.toLocaleString(numberLocale)
}
