import type { Alert } from '@tocsin/protocol'
import { useMemo } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/count.ts'
import { useTimeStyle } from '../../ui/time-style.ts'
import { AnomalyFigure } from '../alert/anomaly-figure.tsx'
import { useOutcomeMessage } from '../prediction/outcome-message.ts'
import { CandleDrawing } from './candle-drawing.tsx'
import { CandleTable } from './candle-table.tsx'
import type { CandleRow } from './candles.ts'
import { formatChartTime } from './chart-clock.ts'
import { createChartMarks } from './chart-figures.ts'
import { ChartLegend } from './chart-legend.tsx'
import { ChartSkeleton, detailHeightClass } from './chart-skeleton.tsx'
import { ChartViews } from './chart-views.tsx'

type OutcomeChartProps = {
  alert: Alert
  /** The price that the signed message names, as a decimal. */
  price: string | null
  size: ChartSize
  className?: string
}

/**
 * `detail` has the height of the chart in `alert-chart.tsx`, because this chart replaces that one
 * if the operator has no source of candles.
 */
type ChartSize = 'detail' | 'page'
/** `minHeightPx` is the smallest height of the chart without the times below it. */
const sizeStyles: Record<ChartSize, { height: string; minHeightPx: number }> = {
  detail: { height: detailHeightClass, minHeightPx: 156 },
  page: { height: 'h-60 md:h-85', minHeightPx: 220 },
}

/**
 * The chart of the market from the alert to the end of its prediction. It shows the candles of the
 * outcome message, whose hash the outcome entry signs. Without such candles, it shows the series in
 * the alert's own message.
 */
export function OutcomeChart({ alert, price, size, className }: OutcomeChartProps) {
  const { prediction, outcome } = alert
  const { message, isLoading } = useOutcomeMessage(alert)
  if (isLoading) return <ChartSkeleton className={classNames('mb-14', sizeStyles[size].height, className)} />
  const [firstRow, ...otherRows] = message?.candles ?? []
  if (!firstRow || !prediction || !outcome) return <AnomalyFigure alert={alert} className={className ?? ''} />
  return (
    <ChartViews alert={alert} className={className}>
      {(toggle) => (
        <SignedCandles
          {...{ alert, price, size, toggle, className }}
          rows={[firstRow, ...otherRows]}
          venue={prediction.venue}
          outcomeLogIndex={outcome.logIndex}
        />
      )}
    </ChartViews>
  )
}

type SignedCandlesProps = {
  alert: Alert
  price: string | null
  size: ChartSize
  rows: readonly [CandleRow, ...CandleRow[]]
  venue: string
  /** Log index of the outcome. */
  outcomeLogIndex: number
  toggle: React.ReactNode
  className: string | undefined
}

function SignedCandles({ alert, price, size, rows, venue, outcomeLogIndex, toggle, className }: SignedCandlesProps) {
  const style = useTimeStyle()
  const marks = useMemo(() => createChartMarks(alert, price, rows), [alert, price, rows])
  return (
    <figure className={classNames('min-w-0', className)}>
      <ChartLegend {...{ alert, venue, price, rows, marks }}>{toggle}</ChartLegend>
      <CandleDrawing
        {...{ rows, marks }}
        priority={alert.priority}
        heightPx={sizeStyles[size].minHeightPx}
        formatTime={(atMs, withSeconds) => formatChartTime(atMs, style, withSeconds)}
        className={sizeStyles[size].height}
      />
      <div className="mt-1 flex flex-wrap items-baseline gap-x-4 text-hint text-2">
        <CandleTable rows={rows} />
        <p className="ml-auto">Signed with entry #{formatCount(outcomeLogIndex)}</p>
      </div>
    </figure>
  )
}
