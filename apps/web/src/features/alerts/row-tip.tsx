import type { Alert } from '@tocsin/protocol'
import { TimeTip } from '../../ui/time.tsx'
import { proofSentence } from '../alert/alert-words.ts'
import { useFailedProof } from '../proof/proof-findings.ts'

/** Time and proof of a row in full, for users of the keyboard. */
export function RowTip({ alert }: { alert: Alert }) {
  const failure = useFailedProof(alert)
  return <TimeTip at={alert.createdAt}>{failure === null ? proofSentence(alert) : 'Proof failed'}</TimeTip>
}
