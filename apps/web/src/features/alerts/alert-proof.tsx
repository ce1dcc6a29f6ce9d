import type { Alert } from '@tocsin/protocol'
import { classNames } from '../../ui/class-names.ts'
import { LadderStrip } from '../../ui/identity/ladder-strip.tsx'
import { Seal } from '../../ui/identity/seal.tsx'
import { proofSentence, sealStateOf } from '../alert/alert-words.ts'
import { rungsOf } from '../proof/rungs.ts'

/** Summary of the proof: the seal, the time to the anchor, and the path from leaf to block. */
export function AlertProof({ alert, className }: { alert: Alert; className?: string }) {
  const state = sealStateOf(alert)
  return (
    <div className={classNames('flex items-center gap-4 border-y border-line-1 py-3', className)}>
      <Seal leafHash={alert.leafHash} root={alert.root} state={state} size={72} className="phone:size-14" />
      <div className="min-w-0">
        <p className="text-base font-semibold">{proofSentence(alert)}</p>
        <LadderStrip
          rungs={rungsOf(alert)}
          index={alert.logIndex}
          treeSize={alert.treeSize}
          isAnchored={alert.avalancheTx !== null}
          className="mt-1"
        />
      </div>
    </div>
  )
}
