import type { Alert } from '@tocsin/protocol'
import { Sparkline } from '../../ui/identity/sparkline.tsx'
import { useSeries } from '../alert/use-series.ts'

/** The anomaly chart of a row, if its series is proved. The expanded row describes it in text. */
export function RowSparkline({ alert }: { alert: Alert }) {
  const state = useSeries(alert)
  if (state.kind !== 'proved') return null
  return <Sparkline series={state.series} priority={alert.priority} className="h-7 animate-fade" />
}
