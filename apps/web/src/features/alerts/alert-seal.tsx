import type { Alert } from '@tocsin/protocol'
import { classNames } from '../../ui/class-names.ts'
import { Seal, sealLabels } from '../../ui/identity/seal.tsx'
import { formatAlertAnchorDelay, getSealState } from '../alert/alert-texts.ts'
import { useProofFinding } from '../proof/proof-findings.ts'

type AlertSealProps = {
  alert: Alert
  size: 20 | 16
  /**
   * Parts that are shown. `icon`: only the seal. `word`: the seal and its label. `full`: the seal,
   * its label and the time to the anchor. `row`: the seal and the time to the anchor. Between 1024
   * and 1280 px the time is hidden.
   */
  variant: 'full' | 'word' | 'row' | 'icon'
}

/**
 * Shows the state of the proof as a seal, with a label and the time to the anchor depending on
 * `variant`.
 */
export function AlertSeal({ alert, size, variant }: AlertSealProps) {
  const finding = useProofFinding(alert)
  const state = finding ? 'failed' : getSealState(alert)
  const seal = <Seal leafHash={alert.leafHash} root={alert.root} state={state} size={size} />
  const label = finding ? 'Proof failed' : finding === null ? 'Verified' : sealLabels[state]
  return (
    <span title={finding ?? label} className="inline-flex items-center gap-2 whitespace-nowrap">
      {seal}
      {finding ? (
        <span className={classNames('font-semibold text-critical', variant === 'icon' && 'sr-only')}>{label}</span>
      ) : (
        <>
          <span className={variant === 'full' || variant === 'word' ? undefined : 'sr-only'}>{label}</span>
          {(variant === 'full' || variant === 'row') && (
            <span className="text-data text-2 lg:max-xl:hidden">{formatAlertAnchorDelay(alert) ?? '…'}</span>
          )}
        </>
      )}
    </span>
  )
}
