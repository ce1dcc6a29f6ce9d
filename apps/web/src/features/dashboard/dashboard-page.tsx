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
import { numberLocale } from '../../ui/locale.ts'
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

const coverageNotes = {
  public: 'Measured over the alerts that are public.',
  subscribed: 'Measured over the alerts that you can read.',
  all: 'Measured over all alerts, drafts included.',
}

/** The published baseline in percent. It must never be presented as measured. */
const published = { successRate: 94.2, averageConfidence: 84.7 }

/** The published baseline beside the figures that this installation has measured. */
function PerformanceCard() {
  const { data } = useQuery(queries.status)
  const measured = data?.measured
  return (
    <Panel title="Market performance" plainHeader>
      <div className="-mt-2 grid gap-5">
        <Measure
          label="Success rate"
          range={[80, 100]}
          published={published.successRate}
          measured={measured?.successRate ?? null}
          sample={measured?.successSample ?? 0}
          format={(percent) => `${percent.toFixed(1)}%`}
        />
        <Measure
          label="Average confidence"
          range={[70, 100]}
          published={published.averageConfidence}
          measured={measured?.averageConfidence ?? null}
          sample={measured?.confidenceSample ?? 0}
          format={(percent) => (percent / 100).toFixed(3)}
        />
      </div>
      <p className="mt-3 min-h-4 text-hint text-2">{data && coverageNotes[data.coverage]}</p>
    </Panel>
  )
}

type MeasureProps = {
  label: string
  /** Both ends of the scale in percent. */
  range: readonly [number, number]
  published: number
  measured: number | null
  sample: number
  format: (percent: number) => string
}

function Measure({ label, range, published, measured, sample, format }: MeasureProps) {
  return (
    <div className="grid grid-cols-[minmax(112px,1fr)_auto_auto] gap-x-3 phone:grid-cols-2 phone:gap-y-2">
      <div className="phone:col-span-2">
        <h3 className="text-base">{label}</h3>
        <Scale range={range} published={published} measured={measured} />
      </div>
      <p className="text-right phone:text-left">
        <span className="block text-[11px]/4 text-2">
          <span aria-hidden className="mr-1.5 border-l border-dashed border-text-2" />
          Published baseline
        </span>
        <span className="block text-number-sm whitespace-nowrap text-2">{format(published)}</span>
      </p>
      <p className="text-right md:min-w-27">
        <span className="block text-[11px]/4 text-2">
          <span aria-hidden className="mr-1.5 border-l-2 border-text-1" />
          {`Measured${measured === null ? '' : `, n ${sample.toLocaleString(numberLocale)}`}`}
        </span>
        {measured === null ? (
          <span className="block text-base/7 text-2">Not measured yet</span>
        ) : (
          <span className="block text-number-sm whitespace-nowrap">{format(measured)}</span>
        )}
      </p>
    </div>
  )
}

const scaleSteps = 10

/** A scale that fills its container. All positions are percentages of its width. */
function Scale({ range: [low, high], published, measured }: Pick<MeasureProps, 'range' | 'published' | 'measured'>) {
  const xOf = (percent: number) => share(Math.min(1, Math.max(0, (percent - low) / (high - low))))
  return (
    <svg aria-hidden width="100%" height={18} fill="none" className="mt-1 overflow-visible" shapeRendering="crispEdges">
      <line x2="100%" y1={13.5} y2={13.5} className="stroke-line-2" />
      {Array.from({ length: scaleSteps + 1 }, (_, step) => share(step / scaleSteps)).map((x) => (
        <line key={x} x1={x} x2={x} y1={14} y2={17} className="stroke-line-2" />
      ))}
      <line {...verticalLine(xOf(published))} strokeDasharray="2 2" className="stroke-text-2" />
      {measured !== null && <line {...verticalLine(xOf(measured))} strokeWidth={2} className="stroke-text-1" />}
    </svg>
  )
}

const share = (part: number) => `${(part * 100).toFixed(2)}%`
const verticalLine = (x: string) => ({ x1: x, x2: x, y1: 2, y2: 13 })
