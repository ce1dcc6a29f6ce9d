import type { OutcomeVerification } from '@tocsin/proof'
import { formatCount } from '../../ui/count.ts'
import { outcomeSentences } from '../prediction/outcome-sentences.ts'

const verdictWords: Record<OutcomeVerification['verdict'], string> = {
  verified: 'Verified',
  'time-not-proven': 'Time of outcome not proven',
  'not-anchored': 'Not yet anchored',
  unavailable: 'Cannot check now',
  failed: 'Failed',
}

/**
 * Shows the result of the proof check of each outcome entry. The results do not affect the verdict
 * on the alert itself.
 */
export function CheckedOutcomes({ outcomes }: { outcomes: readonly OutcomeVerification[] }) {
  return outcomes.map(({ index, verdict, reason, statement }) => (
    <p key={index} className="mt-4 max-w-[72ch] text-base">
      Outcome{statement && ` “${outcomeSentences[statement.verdict]}”`}, entry #{formatCount(index)}:{' '}
      <span className="font-semibold">{verdictWords[verdict]}</span>. {reason}.
    </p>
  ))
}
