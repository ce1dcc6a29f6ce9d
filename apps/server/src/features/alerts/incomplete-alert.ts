import {
  type AnchorEvidence,
  type AnchorEvidenceResult,
  type ClaimedAlert,
  checkBlockTime,
  checkTransaction,
} from '@tocsin/proof'
import type { VerifyAlertResponse } from '@tocsin/protocol'

/**
 * Checks of incomplete alerts. An alert that was copied in the specification's format lacks fields
 * that are signed, hashed or needed for the Merkle path.
 */

type StepResult = VerifyAlertResponse['steps'][number]
type Outcome = Pick<StepResult, 'status' | 'reason'>

/**
 * The required fields, with their names in a pasted alert. Corrections and retractions have further
 * fields, which are null or absent in an alert.
 */
const requiredFields = {
  origin: 'origin',
  signalHash: 'signalHash',
  signer: 'signer',
  index: 'logIndex',
  leafHash: 'leafHash',
  treeSize: 'treeSize',
  root: 'root',
} as const

/** Returns the names of the missing fields that a full check of an alert needs. */
export function listMissingFields(alert: ClaimedAlert): string[] {
  return Object.entries(requiredFields).flatMap(([field, name]) => (field in alert ? [] : [name]))
}

/**
 * Presents the checks that are possible for an alert with missing fields: the checks of its
 * transaction on the chain. For all other checks, the result contains the reason why they were
 * skipped.
 */
export function presentIncomplete(
  alert: ClaimedAlert,
  missingFields: readonly string[],
  evidence: AnchorEvidenceResult,
): VerifyAlertResponse {
  const content = createUnavailable(
    `Cannot be checked: this copy lacks ${missingFields.join(', ')}, and you have no access to an alert with this id`,
  )
  const unknownLeaf = createUnavailable('Cannot be checked without the hash of the whole content')
  const foundEvidence = alert.avalancheTx === null || evidence === 'unavailable' ? null : evidence
  const chainSteps = foundEvidence ? checkChain(alert, foundEvidence) : explainMissingChain(alert, evidence)
  const steps: StepResult[] = [
    { id: 'payload', ...content },
    { id: 'signature', ...content },
    { id: 'merklePath', ...unknownLeaf },
    ...chainSteps,
  ]
  const failedIndex = steps.findIndex(({ status }) => status === 'failed')
  return {
    valid: false,
    timeProven: null,
    verdict: failedIndex === -1 ? 'unavailable' : 'failed',
    checks: {
      signature: summarize([content]),
      merklePath: summarize([unknownLeaf]),
      anchor: summarize(chainSteps),
    },
    steps,
    failedStep: failedIndex === -1 ? null : failedIndex + 1,
    reason: (steps[failedIndex] ?? content).reason,
    chainTime: foundEvidence?.status === 'success' ? foundEvidence.blockAt : null,
    blockNumber: foundEvidence?.blockNumber ?? null,
    confirmations: foundEvidence?.confirmations ?? null,
    rungs: [],
  }
}

function checkChain(alert: ClaimedAlert, evidence: AnchorEvidence): StepResult[] {
  const createdAt = String(alert.createdAt)
  const blockTime: Outcome = Number.isNaN(Date.parse(createdAt))
    ? { status: 'failed', reason: 'The time of the alert is malformed' }
    : checkBlockTime(alert, { createdAt }, evidence)
  return [
    { id: 'root', ...checkRoot(alert, evidence) },
    { id: 'transaction', ...checkTransaction(alert, evidence) },
    { id: 'blockTime', ...blockTime },
  ]
}

function checkRoot({ root, treeSize }: ClaimedAlert, evidence: AnchorEvidence): Outcome {
  if (root === undefined || treeSize === undefined)
    return createUnavailable('Cannot be checked without root and tree size')
  const isSame =
    typeof root === 'string' && root.toLowerCase() === evidence.root.toLowerCase() && treeSize === evidence.size
  if (isSame) return { status: 'passed', reason: `The chain holds this root for ${evidence.size} entries` }
  return { status: 'failed', reason: `The chain holds another root, for ${evidence.size} entries` }
}

/** Presents the reason why no check against the chain is possible. */
function explainMissingChain({ avalancheTx }: ClaimedAlert, evidence: AnchorEvidenceResult): StepResult[] {
  const outcome = findProblem(avalancheTx, evidence)
  return (['root', 'transaction', 'blockTime'] as const).map((id) => ({ id, ...outcome }))
}

function findProblem(avalancheTx: unknown, evidence: AnchorEvidenceResult): Outcome {
  if (avalancheTx === null) return { status: 'pending', reason: 'This copy does not include an anchoring transaction' }
  if (evidence === 'unavailable') return createUnavailable('The anchor chain did not respond')
  return { status: 'failed', reason: 'The transaction is not on the chain, or contains no anchor' }
}

function createUnavailable(reason: string): Outcome {
  return { status: 'unavailable', reason }
}

/**
 * Combines several steps into one. It has passed if all steps passed. Otherwise it has the reason
 * of the first step that did not pass.
 */
export function summarize(steps: readonly Outcome[]): { valid: boolean; reason: string } {
  const firstNotPassed = steps.find(({ status }) => status !== 'passed')
  return { valid: !firstNotPassed, reason: (firstNotPassed ?? steps.at(-1))?.reason ?? '' }
}
