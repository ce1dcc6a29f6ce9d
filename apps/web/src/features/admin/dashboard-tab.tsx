import { AuditPanel } from './audit-panel.tsx'
import { ChainPanel } from './chain-panel.tsx'
import { FeedPanel } from './feed-panel.tsx'
import { RefusedSignals } from './refused-signals.tsx'
import { StatCards } from './stat-cards.tsx'
import { SubViews } from './sub-views.tsx'
import { SystemFigures } from './system-figures.tsx'
import { SystemStatusPanel } from './system-status-panel.tsx'
import { UnmatchedSummary } from './unmatched-summary.tsx'
import { useAdminPlace } from './use-admin-place.ts'

const views = [
  { label: 'Overview', view: undefined },
  { label: 'Audit trail', view: 'audit' },
] as const

export function DashboardTab() {
  const { view } = useAdminPlace()
  const current = view === 'audit' ? 'audit' : undefined
  return (
    <div className="flex flex-col gap-4">
      <SubViews label="Dashboard" tab="dashboard" current={current} views={views} />
      {current === 'audit' ? <AuditPanel /> : <Overview />}
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
      <RefusedSignals />
    </>
  )
}
