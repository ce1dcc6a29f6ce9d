import { useQuery } from '@tanstack/react-query'
import { Panel } from '../../ui/panel.tsx'
import { alertQueries } from '../alert/alert-queries.ts'
import { isLocked } from '../alert/alert-texts.ts'
import { useCachedAlerts } from '../alert/held-alerts.ts'
import { PredictionPanel } from '../prediction/prediction-panel.tsx'
import type { Checked } from './verify-claim.ts'

/**
 * The prediction and outcome of the alert that was checked, if this site knows an alert with the
 * same leaf hash. They are not part of the six checks, and the footer says so.
 */
export function CheckedPrediction({
  checked: { alert, findings },
  className,
}: {
  checked: Checked
  className: string
}) {
  const find = useCachedAlerts()
  const cached = alert.logIndex === undefined ? null : find(alert.logIndex)
  const { data } = useQuery({ ...alertQueries.one(alert.id), enabled: cached === null })
  const listed = data?.items[0]?.alert
  const knownAlert = cached ?? (listed && !isLocked(listed) ? listed : null)
  if (!knownAlert?.prediction || knownAlert.leafHash !== alert.leafHash || findings.verdict === 'failed') return null
  return (
    <Panel
      title="Prediction and outcome"
      className={className}
      footer="These are statements of this site. The command line recomputes every verdict from its candles: --track-record."
    >
      <PredictionPanel alert={knownAlert} />
    </Panel>
  )
}
