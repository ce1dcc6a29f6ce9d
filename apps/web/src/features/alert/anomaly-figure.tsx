import type { Priority, SignalSeries } from '@tocsin/protocol'
import { ShieldAlert } from 'lucide-react'
import { classNames } from '../../ui/class-names.ts'
import { formatClock } from '../../ui/format-time.ts'
import { priorityStyles } from '../../ui/identity/priority-glyph.tsx'
import { formatPath, layOutSeries } from '../../ui/identity/series-layout.ts'
import { TriggerMark } from '../../ui/identity/sparkline.tsx'
import { Panel } from '../../ui/panel.tsx'
import { useTimeStyle } from '../../ui/time-style.ts'
import { formatDuration } from './alert-texts.ts'
import { formatAxisValue, formatUsualRange, formatValue } from './series-texts.ts'
import { useSeries } from './use-series.ts'
import type { SignalOf } from './use-signal.ts'

type ShownAnomaly = SignalOf & { asset: string; anomalyType: string; priority: Priority }

/** Panel with the chart of the anomaly. */
export function AnomalyPanel({ alert, className }: { alert: ShownAnomaly; className?: string }) {
  const { kind } = useSeries(alert)
  if (kind === 'none' || kind === 'pending') return null
  return (
    <Panel title="Anomaly" {...(className === undefined ? {} : { className })}>
      <AnomalyFigure alert={alert} />
    </Panel>
  )
}

/**
 * Chart of the anomaly, drawn from the signal whose hash is in the signed alert. Renders nothing if
 * there is no series.
 */
export function AnomalyFigure({ alert, className }: { alert: ShownAnomaly; className?: string }) {
  const state = useSeries(alert)
  if (state.kind === 'differs') {
    return (
      <p className={classNames('flex items-start gap-2 text-body', className)}>
        <ShieldAlert aria-hidden size={20} className="shrink-0 text-critical" />
        No chart: the signal sent by this server does not match the hash in the signed alert.
      </p>
    )
  }
  if (state.kind === 'none') return null
  // The placeholder has the height of the chart, to avoid a layout shift.
  if (state.kind === 'pending') return <div className={classNames('h-66', className)} />
  const { series, observedAtMs } = state
  return (
    <figure className={classNames('min-w-0', className)}>
      <Caption alert={alert} series={series} />
      <Chart series={series} priority={alert.priority} observedAtMs={observedAtMs} />
      <p className="mt-2 text-hint text-2">
        Drawn from the signal that caused this alert. The signed alert contains the hash of the signal.
      </p>
    </figure>
  )
}

function Caption({ alert: { asset, anomalyType }, series }: { alert: ShownAnomaly; series: SignalSeries }) {
  const { values, triggerIndex, unit, mean } = series
  const value = formatValue(values[triggerIndex] ?? mean, unit)
  return (
    <figcaption className="flex flex-wrap items-baseline gap-x-4 gap-y-1 text-base">
      <span className="min-w-0 font-semibold wrap-anywhere">{`${[asset, anomalyType].filter(Boolean).join(', ')}: ${value}`}</span>
      <span className="ml-auto inline-flex items-center gap-2 text-hint whitespace-nowrap text-2 phone:ml-0">
        <span aria-hidden className="h-3 w-4 border-y border-dashed border-line-2 bg-ink-3" />
        Usually {formatUsualRange(series)}
      </span>
    </figcaption>
  )
}

type ChartProps = { series: SignalSeries; priority: Priority; observedAtMs: number }

/**
 * Draws the series. The chart is hidden from screen readers, because the figcaption describes it.
 */
function Chart({ series, priority, observedAtMs }: ChartProps) {
  const style = useTimeStyle()
  const { values, unit, triggerIndex, stepSeconds } = series
  const { points, trigger, oppositeIndex, band, grid } = layOutSeries(series)
  const oppositePoint = points[oppositeIndex] ?? trigger
  const isUp = trigger.y < band.mean
  const stepsAfter = values.length - 1 - triggerIndex
  const triggerAtMs = observedAtMs - stepsAfter * stepSeconds * 1000
  const stroke = priorityStyles[priority].stroke
  return (
    <div aria-hidden className="relative mt-3 h-50 text-data text-2">
      <div className="absolute top-2 right-3 bottom-7 left-16 border-b border-line-2 phone:left-14" />
      <div className="absolute top-6 right-3 bottom-13 left-16 phone:left-14">
        <svg
          aria-hidden
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          fill="none"
          className="block size-full overflow-visible"
        >
          <g className="[&>path]:[vector-effect:non-scaling-stroke]">
            {grid.map(({ value, y }) => (
              <path key={value} d={`M0 ${y}H100`} className="stroke-line-1" />
            ))}
            <path d={`M0 ${band.top}H100V${band.bottom}H0Z`} className="fill-ink-3/60" />
            <path d={`M0 ${band.top}H100M0 ${band.bottom}H100`} strokeDasharray="2 3" className="stroke-line-2" />
            <path d={`M0 ${band.mean}H100`} className="stroke-line-2" />
            <path d={`M${trigger.x} -8V110`} strokeDasharray="1 3" className="stroke-text-3" />
            <path
              d={formatPath(points.slice(0, triggerIndex))}
              strokeWidth={1.5}
              strokeLinejoin="round"
              className="stroke-text-2"
            />
            <path
              d={formatPath(points.slice(Math.max(0, triggerIndex - 1)))}
              strokeWidth={1.5}
              strokeLinejoin="round"
              className={stroke}
            />
          </g>
        </svg>
        <TriggerMark at={trigger} size={13} priority={priority} />
        {grid.map(({ value, y }) => (
          <span
            key={value}
            style={{ top: `${y}%` }}
            className="absolute right-full mr-2 -translate-y-1/2 whitespace-nowrap phone:mr-1.5"
          >
            {formatAxisValue(value, unit)}
          </span>
        ))}
        <span
          style={{ left: `${trigger.x}%` }}
          className={classNames(
            // The label of the trigger is above the plot if the trigger is above the mean, else
            // below the plot, so that it never covers the line.
            'absolute text-1 whitespace-nowrap',
            trigger.x > 60 ? '-ml-3 -translate-x-full' : 'ml-3',
            isUp ? 'bottom-full mb-1' : 'top-full mt-1',
          )}
        >
          {`${formatValue(values[triggerIndex] ?? 0, unit)} at ${formatClock(triggerAtMs, style)}`}
        </span>
        {oppositeIndex !== triggerIndex && (
          <span
            style={{ left: `${oppositePoint.x}%`, top: `${oppositePoint.y}%` }}
            className={classNames(
              'absolute whitespace-nowrap',
              // Shift the label, so that it neither leaves the frame nor covers the axis labels at
              // any width.
              oppositePoint.x > 80 ? '-translate-x-full' : oppositePoint.x >= 20 && '-translate-x-1/2',
              isUp ? 'mt-1' : '-mt-1 -translate-y-full',
            )}
          >
            {`${isUp ? 'min' : 'max'} ${formatValue(values[oppositeIndex] ?? 0, unit)}`}
          </span>
        )}
        <span className="absolute top-full left-0 mt-8">−{formatDuration(triggerIndex * stepSeconds * 1000)}</span>
        <span
          style={{ left: `${trigger.x}%` }}
          className={classNames(
            'absolute top-full mt-8 text-1',
            trigger.x > 88 ? '-translate-x-full' : '-translate-x-1/2',
          )}
        >
          detected
        </span>
        {trigger.x < 88 && (
          <span className={classNames('absolute top-full right-0 mt-8', trigger.x > 65 && 'phone:hidden')}>
            +{formatDuration(stepsAfter * stepSeconds * 1000)}
          </span>
        )}
      </div>
    </div>
  )
}
