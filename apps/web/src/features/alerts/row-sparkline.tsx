import type { Alert } from '@tocsin/protocol'
import { useEffect, useState } from 'react'
import { Sparkline } from '../../ui/identity/sparkline.tsx'
import { formatValue } from '../alert/series-words.ts'
import { useSeries } from '../alert/use-series.ts'

/** Rows that pass while the list scrolls do not request their series. */
const restMs = 150

type RowSparklineProps = {
  alert: Alert
  /** With the value at the alert; otherwise only its direction. */
  withValue: boolean
  className: string
}

/**
 * The anomaly chart of a row and the direction of the anomaly, if its series is proved. The
 * detail describes it in text.
 */
export function RowSparkline({ alert, withValue, className }: RowSparklineProps) {
  const isResting = useIsResting()
  const state = useSeries(isResting ? alert : { ...alert, signalHash: null })
  if (state.kind !== 'proved') return null
  const { values, triggerIndex, mean, unit } = state.series
  const value = values[triggerIndex] ?? mean
  const arrow = value < mean ? '↓' : '↑'
  return (
    <span aria-hidden className={className}>
      <Sparkline
        series={state.series}
        priority={alert.priority}
        className="min-h-0 min-w-0 flex-1 animate-fade self-stretch"
      />
      <span className="text-right text-data text-2">{withValue ? `${arrow} ${formatValue(value, unit)}` : arrow}</span>
    </span>
  )
}

function useIsResting(): boolean {
  const [isResting, setIsResting] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsResting(true), restMs)
    return () => clearTimeout(timer)
  }, [])
  return isResting
}
