import type { Alert } from '@tocsin/protocol'
import { TimeTooltip } from '../../ui/time.tsx'
import { formatProofSentence } from '../alert/alert-texts.ts'
import { useProofFailure } from '../proof/proof-findings.ts'

/** Full time and proof of a row, for keyboard users. */
export function RowTooltip({ alert }: { alert: Alert }) {
  const failure = useProofFailure(alert)
  return (
    <TimeTooltip at={alert.createdAt}>{failure === null ? formatProofSentence(alert) : 'Proof failed'}</TimeTooltip>
  )
}
