import type { Alert } from '@tocsin/protocol'
import { classNames } from '../../ui/class-names.ts'
import { LadderStrip } from '../../ui/identity/ladder-strip.tsx'
import { Seal, type SealState } from '../../ui/identity/seal.tsx'
import { formatAlertAnchorDelay, formatProofSentence } from '../alert/alert-texts.ts'
import { type OpenedProof, useOpenedProof, useVerifiedReport } from '../proof/opened-proof.ts'
import { computeRungs } from '../proof/rungs.ts'

const sealStates: Record<OpenedProof['kind'], SealState> = {
  signed: 'signed',
  anchored: 'anchored',
  checking: 'signed',
  verified: 'anchored',
  'time-not-proven': 'anchored',
  'no-node': 'anchored',
  unavailable: 'signed',
  failed: 'failed',
}

/** Labels of the states in which this browser has neither verified the proof nor found it wrong. */
const undecidedLabels: { [Kind in OpenedProof['kind']]?: string } = {
  checking: 'Checking…',
  unavailable: 'Cannot check now',
  'time-not-proven': 'Time of issue not proven',
}

/** Shows the state of the proof in a few words, beside the time of the alert. */
export function ProofTag({ alert }: { alert: Alert }) {
  const proof = useOpenedProof(alert)
  const delay = formatAlertAnchorDelay(alert)
  return (
    <span className="inline-flex items-baseline gap-1.5 whitespace-nowrap">
      <Seal
        leafHash={alert.leafHash}
        root={alert.root}
        state={sealStates[proof.kind]}
        size={16}
        className="self-center"
      />
      {proof.kind === 'verified' ? (
        <>
          <span className="font-semibold text-seal">Verified</span>
          <span>signed, unchanged</span>
        </>
      ) : proof.kind === 'failed' ? (
        <span className="font-semibold text-critical">Proof failed</span>
      ) : (
        <span>{undecidedLabels[proof.kind] ?? (delay === null ? 'Signed' : `Anchored ${delay}`)}</span>
      )}
    </span>
  )
}

type AlertProofProps = {
  alert: Alert
  /** True if the page shows the alert although the user has not opened it. */
  isUnopened?: boolean
  className?: string
}

/**
 * Summary of the proof: the seal, the result of the check in this browser, and the path from the
 * leaf to the block.
 */
export function AlertProof({ alert, isUnopened = false, className }: AlertProofProps) {
  const proof = useOpenedProof(alert)
  useVerifiedReport(alert, proof.kind === 'verified' && !isUnopened)
  return (
    <div className={classNames('flex items-center gap-4 border-y border-line-1 py-3', className)}>
      <Seal
        leafHash={alert.leafHash}
        root={alert.root}
        state={sealStates[proof.kind]}
        size={72}
        className="phone:size-14"
      />
      <div className="min-w-0">
        <ProofText alert={alert} proof={proof} />
        <LadderStrip
          rungs={computeRungs(alert)}
          index={alert.logIndex}
          treeSize={alert.treeSize}
          isProved={proof.kind === 'verified' || proof.kind === 'time-not-proven'}
          className="mt-1"
        />
      </div>
    </div>
  )
}

/**
 * Says whether the alert is verified. The text always has the height of two lines, so that the
 * result of the check does not move the parts below.
 */
function ProofText({ alert, proof }: { alert: Alert; proof: OpenedProof }) {
  if (proof.kind === 'failed') {
    return (
      <p className="min-h-10 text-base font-semibold">
        <span className="text-critical">Proof failed.</span> {proof.reason}. Do not act on this alert.
      </p>
    )
  }
  return (
    <p className="min-h-10 text-base" aria-live="polite">
      {proof.kind === 'verified' ? (
        <>
          <span className="text-lead font-semibold text-seal">Verified</span>{' '}
          <span className="text-2">in this browser, 6 of 6 checks, {proof.host}</span>
        </>
      ) : (
        <>
          <span className="font-semibold">
            {proof.kind === 'no-node' ? 'Signed' : (undecidedLabels[proof.kind] ?? 'Not checked here')}
          </span>
          {proof.kind === 'no-node' && <span className="text-2">, not checked against the chain</span>}
          {proof.kind === 'time-not-proven' && <span className="text-2"> in this browser, {proof.host}</span>}
          {proof.kind === 'unavailable' && (
            <button type="button" onClick={proof.retry} className="link touch-target ml-3">
              Check again
            </button>
          )}
        </>
      )}
      <span className="block text-2">{formatProofSentence(alert)}</span>
    </p>
  )
}
