import { useQuery } from '@tanstack/react-query'
import type { PublicConfig, SystemStatus } from '@tocsin/protocol'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { formatCount } from '../../ui/count.ts'
import { Panel } from '../../ui/panel.tsx'
import { SiteLink } from '../../ui/site-link.tsx'
import { formatDemoMarket } from '../prediction/demo-texts.ts'

const coverageNotes = {
  public: 'measured over the alerts that are public.',
  subscribed: 'measured over the alerts that you can read.',
  all: 'measured over all alerts, also those not broadcast.',
}

/** The published baseline in percent. It must never be shown as a measured value. */
const publishedFigures = { successRate: 94.2, averageConfidence: 84.7 }

/** Compares the published baseline with the values that this installation has measured. */
export function PerformanceCard() {
  const { data } = useQuery(queries.status)
  const { data: config } = useQuery(queries.config)
  return <PerformanceView status={data} config={config} />
}

type ViewProps = {
  status: Pick<SystemStatus, 'measured' | 'coverage'> | undefined
  config: Pick<PublicConfig, 'demo' | 'demoMarket'> | undefined
}

/** The content of the card, without its queries. */
export function PerformanceView({ status, config }: ViewProps) {
  const measured = status?.measured
  return (
    <Panel
      title="Market performance"
      detail={formatDemoMarket(config) ?? undefined}
      plainHeader
      actions={
        <SiteLink href={paths.trackRecord} className="link touch-target text-base">
          Track record
        </SiteLink>
      }
    >
      <div className="-mt-2 grid gap-5">
        <MetricComparison
          label="Success rate"
          range={[0, 100]}
          published={publishedFigures.successRate}
          measured={measured?.successRate}
          interval={measured?.successInterval ?? null}
          sampleSize={measured?.successSample ?? 0}
          format={(percent) => `${percent.toFixed(1)}%`}
        />
        <MetricComparison
          label="Average confidence"
          range={(measured?.averageConfidence ?? 100) < 70 ? [0, 100] : [70, 100]}
          published={publishedFigures.averageConfidence}
          measured={measured?.averageConfidence}
          sampleSize={measured?.confidenceSample ?? 0}
          format={(percent) => (percent / 100).toFixed(3)}
        />
      </div>
      <p className="mt-3 min-h-4 text-hint text-2">{status && `Confidence: ${coverageNotes[status.coverage]}`}</p>
    </Panel>
  )
}

type MeasureProps = {
  label: string
  /** Lower and upper end of the scale in percent. */
  range: readonly [number, number]
  published: number
  /** Null if nothing has been measured yet, undefined until the status is loaded. */
  measured: number | null | undefined
  /** 95 % confidence interval of the measured value. */
  interval?: readonly [number, number] | null
  sampleSize: number
  format: (percent: number) => string
}

function MetricComparison({ label, range, published, measured, interval = null, sampleSize, format }: MeasureProps) {
  const value = measured ?? null
  return (
    <div className="grid grid-cols-[minmax(112px,1fr)_auto_auto] gap-x-3 phone:grid-cols-2 phone:gap-y-2">
      <div className="phone:col-span-2">
        <h3 className="text-base">{label}</h3>
        <Scale range={range} published={published} measured={value} interval={interval} />
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
          {`Measured${value === null ? '' : `, n ${formatCount(sampleSize)}`}`}
        </span>
        {value === null ? (
          <span className="block text-base/7 text-2">{measured === null ? 'Not measured yet' : '—'}</span>
        ) : (
          <span className="block text-number-sm whitespace-nowrap">{format(value)}</span>
        )}
        {interval && (
          <span className="block text-[11px]/4 whitespace-nowrap text-2">
            {`95%: ${format(interval[0])} to ${format(interval[1])}`}
          </span>
        )}
      </p>
    </div>
  )
}

const scaleSteps = 10

/** Draws a scale as wide as its container. All positions are percentages of the width. */
function Scale({
  range: [low, high],
  published,
  measured,
  interval = null,
}: Pick<MeasureProps, 'range' | 'published' | 'interval'> & { measured: number | null }) {
  const getFraction = (percent: number) => Math.min(1, Math.max(0, (percent - low) / (high - low)))
  const getX = (percent: number) => formatPercent(getFraction(percent))
  return (
    <svg aria-hidden width="100%" height={18} fill="none" className="mt-1 overflow-visible" shapeRendering="crispEdges">
      <line x2="100%" y1={13.5} y2={13.5} className="stroke-line-2" />
      {Array.from({ length: scaleSteps + 1 }, (_, step) => formatPercent(step / scaleSteps)).map((x) => (
        <line key={x} x1={x} x2={x} y1={14} y2={17} className="stroke-line-2" />
      ))}
      {interval && (
        <rect
          x={getX(interval[0])}
          y={9}
          width={formatPercent(getFraction(interval[1]) - getFraction(interval[0]))}
          height={5}
          className="fill-line-2"
        />
      )}
      <line {...verticalLine(getX(published))} strokeDasharray="2 2" className="stroke-text-2" />
      {measured !== null && <line {...verticalLine(getX(measured))} strokeWidth={2} className="stroke-text-1" />}
    </svg>
  )
}

const formatPercent = (fraction: number) => `${(fraction * 100).toFixed(2)}%`
const verticalLine = (x: string) => ({ x1: x, x2: x, y1: 2, y2: 13 })
