import type { Alert } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { formatClock } from '../../ui/format-time.ts'
import { type TimeStyle, useTimeStyle } from '../../ui/time-style.ts'
import { formatThreshold } from '../prediction/amount-texts.ts'
import { greatestMove } from '../prediction/moves.ts'
import { venueName } from '../prediction/prediction-names.ts'
import type { CandleRow } from './candles.ts'
import { type ChartMarks, figuresSince } from './chart-figures.ts'
import { formatPercentChange, formatPrice } from './price-texts.ts'

interface ShownCandles {
  alert: Pick<Alert, 'asset' | 'prediction'>
  venue: string
  /** The price at issue, as a decimal. */
  price: string | null
  rows: readonly CandleRow[]
  marks: ChartMarks
}

/** The threshold in words. Null if the chart does not draw it. */
function formatDrawnThreshold({ alert: { prediction }, marks }: ShownCandles): string | null {
  return marks.thresholds.length > 0 && prediction ? formatThreshold(prediction.metric, prediction.threshold) : null
}

/** Describes the chart in sentences. */
export function candleSentence(shown: ShownCandles, style: TimeStyle): string {
  const { alert, venue, price, rows, marks } = shown
  const threshold = formatDrawnThreshold(shown)
  const since = figuresSince(rows, marks.issuedMs)
  const greatest = greatestMove(alert, price, rows)
  const issueEntries = [
    `${alert.asset}, one-minute candles of ${venueName(venue)}. Issued at ${formatClock(marks.issuedMs, style)}`,
    ...(price === null ? [] : [`at a price of ${formatPrice(price)}`]),
    ...(threshold === null ? [] : [`threshold ${threshold}`]),
  ]
  return [
    `${issueEntries.join(', ')}.`,
    ...(since
      ? [
          `Since then: high ${formatPrice(since.high)}, low ${formatPrice(since.low)}, last close ${formatPrice(since.last)}.`,
        ]
      : []),
    ...(greatest === null ? [] : [`Greatest move ${formatPercentChange(greatest)}.`]),
  ].join(' ')
}

/**
 * Explains the lines of a chart and describes it for screen readers. Children follow the legend.
 */
export function ChartLegend({ children, ...shown }: ShownCandles & { children?: ReactNode }) {
  const style = useTimeStyle()
  const { alert, venue, price, rows } = shown
  const threshold = formatDrawnThreshold(shown)
  const greatest = greatestMove(alert, price, rows)
  return (
    <figcaption className="mb-1 flex flex-wrap items-center gap-x-2.5 gap-y-1 text-hint text-2">
      <span className="sr-only">{candleSentence(shown, style)}</span>
      <span aria-hidden className="contents">
        <span className="text-data text-1">{venue === 'simulated' ? '1 min' : `1 min, ${venueName(venue)}`}</span>
        {price !== null && <Key look="border-dashed border-text-1">price at issue</Key>}
        {threshold !== null && <Key look="border-dotted border-text-2">{threshold}</Key>}
        {greatest !== null && (
          <span className="whitespace-nowrap">
            max <span className="text-data text-1">{formatPercentChange(greatest)}</span>
          </span>
        )}
      </span>
      {children}
    </figcaption>
  )
}

/** Explains a line of the chart. */
function Key({ look, children }: { look: string; children: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <span aria-hidden className={`w-3 border-t ${look}`} />
      {children}
    </span>
  )
}
