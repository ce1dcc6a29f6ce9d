import type { Alert } from '@tocsin/protocol'
import { Suspense, useMemo, useState } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { clockTime } from '../../ui/format-time.ts'
import { priorityLooks } from '../../ui/identity/priority-glyph.tsx'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useTimeStyle } from '../../ui/time-style.ts'
import { AnomalyFigure } from '../alert/anomaly-figure.tsx'
import { useSeries } from '../alert/use-series.ts'
import { thresholdWords } from '../prediction/amount-words.ts'
import { venueName } from '../prediction/prediction-words.ts'
import { type CandleRow, type ChartRange, useCandles, useChartRange } from './candles.ts'
import { figuresSince, greatestMove, marksOf } from './chart-figures.ts'
import { useCurrentPrice } from './current-price.ts'
import { type MarketPlace, useIssuePrice, useMarketPlace } from './issue-price.ts'
import { changeWords, priceWords } from './price-words.ts'

const PriceChart = lazyLoad(async () => (await import('./price-chart.tsx')).PriceChart)

const chartHeight = 'h-53 md:h-60 lg:h-44 xl:h-53'

/**
 * The market around an alert. Without a source of candles, the series of the signed message is the
 * only chart.
 */
export function AlertChart({ alert, className }: { alert: Alert; className?: string }) {
  const issue = useIssuePrice(alert)
  const place = useMarketPlace(alert)
  const range = useChartRange(alert)
  const candles = useCandles(place, range)
  const hasSeries = useSeries(alert).kind === 'proved'
  const [view, setView] = useState<'price' | 'series'>('price')
  if (candles.kind === 'pending') return <ChartSkeleton className={classNames('mb-16', className)} />
  if (candles.kind === 'none' || place === null) return <AnomalyFigure alert={alert} className={className ?? ''} />
  const toggle = hasSeries && (
    <Segmented
      label="Chart"
      value={view}
      onChange={setView}
      choices={[
        { value: 'price', label: 'Price' },
        { value: 'series', label: 'Series' },
      ]}
      className="ml-auto"
    />
  )
  if (view === 'series' && hasSeries) {
    return (
      <div className={className}>
        <div className="mb-2 flex">{toggle}</div>
        <AnomalyFigure alert={alert} />
      </div>
    )
  }
  return (
    <MarketFigure
      {...{ alert, place, range, toggle }}
      rows={candles.rows}
      price={issue?.price ?? null}
      className={className}
    />
  )
}

type MarketFigureProps = {
  alert: Alert
  place: MarketPlace
  range: ChartRange
  rows: readonly CandleRow[]
  /** The price at issue, as a decimal. */
  price: string | null
  toggle: React.ReactNode
  className: string | undefined
}

function MarketFigure({ alert, place, range, rows, price, toggle, className }: MarketFigureProps) {
  const style = useTimeStyle()
  const marks = useMemo(() => marksOf(alert, price, rows), [alert, price, rows])
  const since = figuresSince(rows, marks.issuedMs)
  const greatest = greatestMove(alert, price, rows)
  const current = useCurrentPrice(place)
  const isLive = current.kind === 'now' && current.seen.atMs < range.to
  const { prediction } = alert
  const threshold =
    marks.thresholds.length > 0 && prediction ? thresholdWords(prediction.metric, prediction.threshold) : null
  return (
    <figure className={classNames('min-w-0', className)}>
      <figcaption className="mb-1 flex flex-wrap items-center gap-x-2.5 gap-y-1 text-hint text-2">
        <span className="sr-only">
          {[
            `${alert.asset}, one-minute candles of ${venueName(place.venue)}. Issued at ${clockTime(marks.issuedMs, style)}`,
            price !== null && `at a price of ${priceWords(price)}`,
            threshold !== null && `threshold ${threshold}`,
          ]
            .filter(Boolean)
            .join(', ')}
          .
          {since &&
            ` Since then: high ${priceWords(since.high)}, low ${priceWords(since.low)}, last close ${priceWords(since.last)}.`}
          {greatest !== null && ` Greatest move ${changeWords(greatest)}.`}
        </span>
        <span aria-hidden className="contents">
          <span className="text-data text-1">
            {place.venue === 'simulated' ? '1 min' : `1 min, ${venueName(place.venue)}`}
          </span>
          {price !== null && <Key look="border-dashed border-text-1">at issue</Key>}
          {threshold !== null && <Key look="border-dotted border-text-2">{threshold}</Key>}
          {greatest !== null && (
            <span className="whitespace-nowrap">
              max <span className="text-data text-1">{changeWords(greatest)}</span>
            </span>
          )}
        </span>
        {toggle}
      </figcaption>
      <Suspense fallback={<ChartSkeleton />}>
        <PriceChart
          {...{ rows, range, marks }}
          now={isLive ? Number(current.seen.price) : null}
          markLook={priorityLooks[alert.priority].text}
          className={chartHeight}
        />
      </Suspense>
    </figure>
  )
}

function ChartSkeleton({ className }: { className?: string }) {
  return (
    <div role="status" className={classNames('relative', chartHeight, className)}>
      <Skeleton className="h-full" />
      <span className="absolute inset-0 grid animate-late place-items-center text-hint text-2">Loading the chart…</span>
    </div>
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
