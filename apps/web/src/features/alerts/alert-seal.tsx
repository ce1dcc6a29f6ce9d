import type { Alert } from '@tocsin/protocol'
import { classNames } from '../../ui/class-names.ts'
import { Seal, sealWords } from '../../ui/identity/seal.tsx'
import { anchorDelay, sealStateOf } from '../alert/alert-words.ts'
import { useFailedProof } from '../proof/proof-findings.ts'

type AlertSealProps = {
  alert: Alert
  size: 36 | 20
  /** Without the time to the anchor between 1024 and 1280 px. */
  isNarrow?: boolean
}

/** State of the proof: the seal, a label, and the time to the anchor. */
export function AlertSeal({ alert, size, isNarrow = false }: AlertSealProps) {
  const failure = useFailedProof(alert)
  const delay = anchorDelay(alert)
  if (failure !== null) return <FailedSeal alert={alert} size={size} reason={failure} />
  const state = sealStateOf(alert)
  if (size === 36) {
    const detail = delay === null ? 'anchoring…' : `after ${delay}`
    return (
      <Seal
        leafHash={alert.leafHash}
        root={alert.root}
        state={state}
        size={36}
        word
        detail={detail}
        className="whitespace-nowrap"
      />
    )
  }
  return (
    <span className="flex items-center gap-2 whitespace-nowrap">
      <Seal leafHash={alert.leafHash} root={alert.root} state={state} size={20} />
      {sealWords[state]}
      <span className={classNames('text-data text-2', isNarrow && 'lg:max-xl:hidden')}>{delay ?? '…'}</span>
    </span>
  )
}

/** Shown when the verification in this browser failed. */
function FailedSeal({ alert, size, reason }: { alert: Alert; size: 36 | 20; reason: string }) {
  return (
    <span title={reason} className="inline-flex items-center gap-2 whitespace-nowrap">
      <Seal leafHash={alert.leafHash} root={alert.root} state="failed" size={size} />
      <span className="font-semibold text-critical">Proof failed</span>
    </span>
  )
}
