import type { Alert } from '@tocsin/protocol'
import { TimeTip } from '../../ui/time.tsx'
import { formatProofSentence } from '../alert/alert-texts.ts'
import { useFailedProof } from '../proof/proof-findings.ts'

/** Full time and proof of a row, for keyboard users. */
export function RowTip({ alert }: { alert: Alert }) {
  const failure = useFailedProof(alert)
  return <TimeTip at={alert.createdAt}>{failure === null ? formatProofSentence(alert) : 'Proof failed'}</TimeTip>
}
