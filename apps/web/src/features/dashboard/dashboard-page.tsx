import { useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { offlineMs, useStreamStatus } from '../../stream/stream-status.ts'
import { formatCount } from '../../ui/count.ts'
import { formatAge } from '../../ui/format-duration.ts'
import { Figure, FigureRow } from '../../ui/key-value.tsx'
import { useNow } from '../../ui/now.ts'
import { useWallet } from '../../wallet/wallet.tsx'
import { durationWords } from '../alert/alert-words.ts'
import { PlansPanel } from '../subscription/plans-panel.tsx'
import { SubscriptionCard } from '../subscription/subscription-card.tsx'
import { ActivityPanel } from './activity-panel.tsx'
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
