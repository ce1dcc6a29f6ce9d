import { type AnchorEvidenceResult, bytesToHex, decodeAlert, type Verification } from '@tocsin/proof'
import type { AdminAlert, Alert, AlertOutcome, LockedAlert, VerifyAlertResponse } from '@tocsin/protocol'
import { summarize } from './incomplete-alert.ts'
import type { OutcomeRow, StoredAlert } from './store.ts'

/**
 * Presents an alert. The signed content is decoded from the logged bytes only. Prediction and
 * outcome are added beside it.
 */
export function presentAlert(storedAlert: StoredAlert): Alert {
  const { bytes, signature, leafHash, merklePath, anchor, supersededBy, forecast, outcomes } = storedAlert
  const statement = decodeAlert(bytes)
  return {
    id: statement.id,
    kind: statement.kind,
    asset: statement.asset,
    priority: statement.priority,
    summary: statement.summary,
    confidence: statement.confidence,
    regime: statement.regime,
    anomalyType: statement.anomalyType,
    createdAt: statement.createdAt,
    origin: statement.origin,
    signalHash: statement.signalHash,
    targetIndex: statement.targetIndex,
    targetLeafHash: statement.targetLeafHash,
    ...(statement.salt === undefined ? {} : { salt: statement.salt }),
    signer: statement.signer,
    signature,
    logIndex: statement.index,
    leafHash: bytesToHex(leafHash),
    merklePath,
    treeSize: anchor?.size ?? null,
    root: anchor && bytesToHex(anchor.root),
    avalancheTx: anchor?.txHash ?? null,
    anchoredAt: anchor?.blockAt.toISOString() ?? null,
    supersededBy: supersededBy && { ...supersededBy, kind: toLaterKind(supersededBy.kind) },
    ...(forecast ?? {}),
    ...presentOutcomes(outcomes ?? []),
  }
}

/** Presents outcomes. The first of several outcomes counts. */
function presentOutcomes(rows: readonly OutcomeRow[]): Pick<Alert, 'outcome' | 'laterOutcomes'> {
  const [outcome, ...laterOutcomes] = rows.map(
    ({ createdMs, ...row }): AlertOutcome => ({ ...row, createdAt: new Date(createdMs).toISOString() }),
  )
  return { ...(outcome ? { outcome } : {}), ...(laterOutcomes.length > 0 ? { laterOutcomes } : {}) }
}

/** Narrows the kind of an entry that refers to another entry: it is never `alert`. */
function toLaterKind(kind: Alert['kind']): 'correction' | 'retraction' {
  return kind === 'retraction' ? kind : 'correction'
}

export function presentAdminAlert(storedAlert: StoredAlert): AdminAlert {
  return { ...presentAlert(storedAlert), broadcastAt: storedAlert.broadcastAt?.toISOString() ?? null }
}

export function presentLocked({
  logIndex,
  priority,
  createdAt,
}: Pick<StoredAlert, 'logIndex' | 'priority' | 'createdAt'>): LockedAlert {
  return { id: `locked-${logIndex}`, locked: true, priority, createdAt: createdAt.toISOString(), logIndex }
}

export function presentVerification(verification: Verification, evidence: AnchorEvidenceResult): VerifyAlertResponse {
  const { verdict, checks, failed, step, blockAt, rungs } = verification
  const hasBlock = blockAt !== null && evidence !== null && evidence !== 'unavailable'
  return {
    valid: verdict === 'verified',
    verdict,
    timeProven: verdict === 'verified' ? true : verdict === 'time-not-proven' ? false : null,
    checks: {
      signature: summarize(checks.slice(0, 2)),
      merklePath: summarize(checks.slice(2, 3)),
      anchor: summarize(checks.slice(3)),
    },
    steps: checks,
    failedStep: step,
    reason: checks.find(({ id, status }) => (failed ? id === failed : status !== 'passed'))?.reason ?? null,
    chainTime: blockAt,
    blockNumber: hasBlock ? evidence.blockNumber : null,
    confirmations: hasBlock ? evidence.confirmations : null,
    rungs,
  }
}

/** Presents the result for an id if no alert with this id is readable for the caller. */
export function presentUnknownAlert(): VerifyAlertResponse {
  const reason = 'Alert not found, or you do not have access to it'
  const skipReason = 'Not checked, because an earlier check failed'
  const skippedCheck = { valid: false, reason: skipReason }
  const laterSteps = ['signature', 'merklePath', 'root', 'transaction', 'blockTime'] as const
  return {
    valid: false,
    verdict: 'failed',
    timeProven: null,
    checks: { signature: { valid: false, reason }, merklePath: skippedCheck, anchor: skippedCheck },
    steps: [
      { id: 'payload', status: 'failed', reason },
      ...laterSteps.map((id) => ({ id, status: 'skipped' as const, reason: skipReason })),
    ],
    failedStep: 1,
    reason,
    chainTime: null,
    blockNumber: null,
    confirmations: null,
    rungs: [],
  }
}
