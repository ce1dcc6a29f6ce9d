import type { Priority, SignalSeries } from '@tocsin/protocol'
import { classNames } from '../class-names.ts'
import { priorityStyles } from './priority-glyph.tsx'
import { formatPath, layOutSeries, type SeriesPoint } from './series-layout.ts'

type SparklineProps = { series: SignalSeries; priority: Priority; className?: string }

/**
 * The values that a model measured around an anomaly, with the normal range as a band and a marker
 * at the alert. Hidden from screen readers: the adjacent text says the same.
 */
export function Sparkline({ series, priority, className }: SparklineProps) {
  const { points, band, trigger } = layOutSeries(series)
  return (
    <span aria-hidden className={classNames('relative block overflow-hidden', className)}>
      <span className="absolute inset-1 block">
        <svg
          aria-hidden
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          fill="none"
          className="block size-full overflow-visible"
        >
          <path d={`M0 ${band.top}H100V${band.bottom}H0Z`} className="fill-ink-3" />
          <path
            d={formatPath(points)}
            strokeWidth={1.25}
            strokeLinejoin="round"
            className="stroke-text-2 [vector-effect:non-scaling-stroke]"
          />
        </svg>
        <TriggerMark at={trigger} size={8} priority={priority} />
      </span>
    </span>
  )
}

/**
 * Marks the alert in a series: a hollow diamond in the colour of its priority. The parent element
 * must be positioned and as large as the series.
 */
export function TriggerMark({ at, size, priority }: { at: SeriesPoint; size: number; priority: Priority }) {
  return (
    <svg
      aria-hidden
      viewBox="0 0 8 8"
      width={size}
      height={size}
      style={{ left: `${at.x}%`, top: `${at.y}%` }}
      className={classNames('absolute -translate-1/2 overflow-visible fill-ink-1', priorityStyles[priority].stroke)}
    >
      <path d="M4 .5 7.5 4 4 7.5 .5 4Z" strokeWidth={1.25} className="[vector-effect:non-scaling-stroke]" />
    </svg>
  )
}
