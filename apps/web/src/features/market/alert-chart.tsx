import type { Alert } from '@tocsin/protocol'
import { Suspense, useMemo } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { priorityStyles } from '../../ui/identity/priority-glyph.tsx'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { type CandleRow, type ChartRange, useCandles, useChartRange } from './candles.ts'
import { createChartMarks } from './chart-figures.ts'
import { ChartLegend } from './chart-legend.tsx'
import { ChartSkeleton, detailHeightClass } from './chart-skeleton.tsx'
import { ChartViews } from './chart-views.tsx'
import { useCurrentPrice } from './current-price.ts'
import { useIssuePrice, useVenueMarket, type VenueMarket } from './issue-price.ts'
import { OutcomeChart } from './outcome-chart.tsx'

const PriceChart = lazyLoad(async () => (await import('./price-chart.tsx')).PriceChart)

/**
 * The chart of the market around an alert. If there is no source of candles, it shows the candles
 * of the outcome, or else the series in the signed message.
 */
export function AlertChart({ alert, className }: { alert: Alert; className?: string }) {
  const issue = useIssuePrice(alert)
  const venueMarket = useVenueMarket(alert)
  const range = useChartRange(alert)
  const candles = useCandles(venueMarket, range)
  if (candles.kind === 'pending') return <ChartSkeleton className={classNames('mb-16', detailHeightClass, className)} />
  const price = issue?.price ?? null
  if (candles.kind === 'none' || venueMarket === null) {
    return (
      <OutcomeChart alert={alert} price={price} size="detail" {...(className === undefined ? {} : { className })} />
    )
  }
  return (
    <ChartViews alert={alert} className={className}>
      {(toggle) => <MarketFigure {...{ alert, venueMarket, range, price, toggle, className }} rows={candles.rows} />}
    </ChartViews>
  )
}

type MarketFigureProps = {
  alert: Alert
  venueMarket: VenueMarket
  range: ChartRange
  rows: readonly CandleRow[]
  /** Price when the alert was issued, as a decimal. */
  price: string | null
  toggle: React.ReactNode
  className: string | undefined
}

function MarketFigure({ alert, venueMarket, range, rows, price, toggle, className }: MarketFigureProps) {
  const marks = useMemo(() => createChartMarks(alert, price, rows), [alert, price, rows])
  const currentPrice = useCurrentPrice(venueMarket)
  const isLive = currentPrice.kind === 'now' && currentPrice.seen.atMs < range.to
  return (
    <figure className={classNames('min-w-0', className)}>
      <ChartLegend {...{ alert, price, rows, marks }} venue={venueMarket.venue}>
        {toggle}
      </ChartLegend>
      <Suspense fallback={<ChartSkeleton className={detailHeightClass} />}>
        <PriceChart
          {...{ rows, range, marks }}
          now={isLive ? Number(currentPrice.seen.price) : null}
          markColorClass={priorityStyles[alert.priority].text}
          className={detailHeightClass}
        />
      </Suspense>
    </figure>
  )
}
