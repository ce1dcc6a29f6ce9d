import type { Alert } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { formatClock } from '../../ui/format-time.ts'
import { type TimeStyle, useTimeStyle } from '../../ui/time-style.ts'
import { findGreatestMove } from '../prediction/moves.ts'
import { formatHorizon, getVenueName } from '../prediction/prediction-names.ts'
import type { CandleRow } from './candles.ts'
import { type ChartMarks, computeFiguresSince } from './chart-figures.ts'
import { formatExpectedChange } from './expected-change.ts'
import { formatPercentChange, formatPrice } from './price-texts.ts'

interface ShownCandles {
  alert: Pick<Alert, 'asset' | 'prediction'>
  venue: string
  /** Price when the alert was issued, as a decimal. */
  price: string | null
  rows: readonly CandleRow[]
  marks: ChartMarks
}

/** "±1.40% of 61,204.11". Null if the chart draws no thresholds. */
function formatDrawnThreshold({ alert: { prediction }, marks: { reference } }: ShownCandles): string | null {
  if (!prediction || reference === null) return null
  return `${formatExpectedChange(prediction)} of ${formatPrice(reference)}`
}

/** Describes the chart in sentences. */
export function formatCandleSentence(shownCandles: ShownCandles, style: TimeStyle): string {
  const { alert, venue, price, rows, marks } = shownCandles
  const threshold = formatDrawnThreshold(shownCandles)
  const figuresSinceIssue = computeFiguresSince(rows, marks.issuedMs)
  const largestMove = findGreatestMove(alert, price, rows)
  const issueEntries = [
    `${alert.asset}, one-minute candles of ${getVenueName(venue)}. Issued at ${formatClock(marks.issuedMs, style)}`,
    ...(price === null ? [] : [`at a price of ${formatPrice(price)}`]),
    ...(threshold === null ? [] : [`threshold ${threshold}`]),
  ]
  return [
    `${issueEntries.join(', ')}.`,
    ...(figuresSinceIssue
      ? [
          `Since then: high ${formatPrice(figuresSinceIssue.high)}, low ${formatPrice(figuresSinceIssue.low)}, last close ${formatPrice(figuresSinceIssue.last)}.`,
        ]
      : []),
    ...(largestMove === null ? [] : [`Greatest move ${formatPercentChange(largestMove)}.`]),
  ].join(' ')
}

/**
 * Explains the lines of a chart and describes it for screen readers. Children follow the legend.
 */
export function ChartLegend({ children, ...shownCandles }: ShownCandles & { children?: ReactNode }) {
  const style = useTimeStyle()
  const { alert, venue, price, rows } = shownCandles
  const threshold = formatDrawnThreshold(shownCandles)
  const largestMove = findGreatestMove(alert, price, rows)
  return (
    <figcaption className="mb-1 flex flex-wrap items-center gap-x-2.5 gap-y-1 text-hint text-2">
      <span className="sr-only">{formatCandleSentence(shownCandles, style)}</span>
      <span aria-hidden className="contents">
        <span className="text-data text-1">{venue === 'simulated' ? '1 min' : `1 min, ${getVenueName(venue)}`}</span>
        {price !== null && <LegendEntry lineClass="border-dashed border-text-1">price at issue</LegendEntry>}
        {threshold !== null && <LegendEntry lineClass="border-dotted border-text-2">{threshold}</LegendEntry>}
        {largestMove !== null && alert.prediction && (
          <span className="whitespace-nowrap">
            max in {formatHorizon(alert.prediction.horizonSeconds)}{' '}
            <span className="text-data text-1">{formatPercentChange(largestMove)}</span>
          </span>
        )}
      </span>
      {children}
    </figcaption>
  )
}

/** Explains a line of the chart. */
function LegendEntry({ lineClass, children }: { lineClass: string; children: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <span aria-hidden className={`w-3 border-t ${lineClass}`} />
      {children}
    </span>
  )
}
