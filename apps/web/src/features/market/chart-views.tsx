import type { Alert } from '@tocsin/protocol'
import { type ReactNode, useState } from 'react'
import { Segmented } from '../../ui/segmented.tsx'
import { AnomalyFigure } from '../alert/anomaly-figure.tsx'
import { useSeries } from '../alert/use-series.ts'

type ChartViewsProps = {
  alert: Alert
  className?: string | undefined
  /** The chart of prices with the switch to the series. The switch is null without a series. */
  children: (toggle: ReactNode) => ReactNode
}

/** A chart of prices or the series of the signed message, as the reader chooses. */
export function ChartViews({ alert, className, children }: ChartViewsProps) {
  const hasSeries = useSeries(alert).kind === 'proved'
  const [view, setView] = useState<'price' | 'series'>('price')
  const toggle = hasSeries ? (
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
  ) : null
  if (view === 'price' || !hasSeries) return children(toggle)
  return (
    <div className={className}>
      <div className="mb-2 flex">{toggle}</div>
      <AnomalyFigure alert={alert} />
    </div>
  )
}
