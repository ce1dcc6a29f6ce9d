import type { Alert } from '@tocsin/protocol'
import { useDeferredValue } from 'react'
import { Sparkline } from '../../ui/identity/sparkline.tsx'
import { formatSeriesSentence } from '../alert/series-texts.ts'
import { useCanLoadSignal } from '../alert/use-can-load-signal.ts'
import { useSeries } from '../alert/use-series.ts'

type RowSparklineProps = { alert: Alert; className: string }

/**
 * The anomaly chart of a row, with its figures as text for screen readers. Renders nothing unless
 * the message has a series and the hash that the signature of the alert covers.
 */
export function RowSparkline(props: RowSparklineProps) {
  return useCanLoadSignal(props.alert) ? <LoadedSparkline {...props} /> : null
}

function LoadedSparkline({ alert, className }: RowSparklineProps) {
  // Deferred, because the messages of all rows arrive together and drawing all charts in one task
  // would be a long task.
  const state = useDeferredValue(useSeries(alert))
  if (state.kind !== 'proved') return null
  return (
    <span className="block min-w-0">
      <span className="sr-only">{formatSeriesSentence(state.series)}</span>
      <Sparkline series={state.series} priority={alert.priority} className={`animate-fade ${className}`} />
    </span>
  )
}
