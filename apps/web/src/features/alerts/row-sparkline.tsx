import type { Alert } from '@tocsin/protocol'
import { useEffect, useState } from 'react'
import { Sparkline } from '../../ui/identity/sparkline.tsx'
import { useSeries } from '../alert/use-series.ts'

/** Rows do not request their series while the list scrolls past them. */
const restMs = 150

/** The anomaly chart of a row, if its series is proved. The detail describes it in text. */
export function RowSparkline({ alert, className }: { alert: Alert; className: string }) {
  const isResting = useIsResting()
  const state = useSeries(isResting ? alert : { ...alert, signalHash: null })
  if (state.kind !== 'proved') return null
  return <Sparkline series={state.series} priority={alert.priority} className={`animate-fade ${className}`} />
}

function useIsResting(): boolean {
  const [isResting, setIsResting] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsResting(true), restMs)
    return () => clearTimeout(timer)
  }, [])
  return isResting
}
