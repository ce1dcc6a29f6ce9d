import type { Alert } from '@tocsin/protocol'
import { type ReactNode, useState } from 'react'
import { Segmented } from '../../ui/segmented.tsx'
import { AnomalyFigure } from '../alert/anomaly-figure.tsx'
import { useSeries } from '../alert/use-series.ts'

type ChartViewsProps = {
  alert: Alert
  className?: string | undefined
  /**
   * Renders the chart of prices. The argument is the control that switches between chart and
   * series, or null if there is no series.
   */
  children: (toggle: ReactNode) => ReactNode
}

/**
 * Shows the chart of prices or the series in the signed message. The user can switch between them.
 */
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
