import { useQuery } from '@tanstack/react-query'
import { Panel } from '../../ui/panel.tsx'
import { alertQueries } from '../alert/alert-queries.ts'
import { isLocked } from '../alert/alert-texts.ts'
import { useCachedAlerts } from '../alert/held-alerts.ts'
import { PredictionPanel } from '../prediction/prediction-panel.tsx'
import type { CheckedClaim } from './verify-claim.ts'

/**
 * The prediction and outcome of the alert that was checked, if this site knows an alert with the
 * same leaf hash. They are not part of the six checks, and the footer says so.
 */
export function CheckedPrediction({
  checked: { alert, findings },
  className,
}: {
  checked: CheckedClaim
  className: string
}) {
  const findAlert = useCachedAlerts()
  const cachedAlert = alert.logIndex === undefined ? null : findAlert(alert.logIndex)
  const { data } = useQuery({ ...alertQueries.one(alert.id), enabled: cachedAlert === null })
  const listedAlert = data?.items[0]?.alert
  const knownAlert = cachedAlert ?? (listedAlert && !isLocked(listedAlert) ? listedAlert : null)
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
