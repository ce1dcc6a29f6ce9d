import type { AnchorEvidenceResult, ClaimedAlert } from '@tocsin/proof'
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
  const evidenceResult = alert.avalancheTx === null ? 'none' : evidence
  const steps: StepResult[] = [
    { id: 'payload', ...content },
    { id: 'signature', ...content },
    { id: 'merklePath', ...unknownLeaf },
    { id: 'root', ...checkRoot(alert, evidenceResult) },
    { id: 'transaction', ...checkTransaction(evidenceResult) },
    { id: 'blockTime', ...checkBlockTime(alert, evidenceResult) },
  ]
  const failedIndex = steps.findIndex(({ status }) => status === 'failed')
  const foundEvidence = typeof evidenceResult === 'object' && evidenceResult !== null ? evidenceResult : null
  const chain = summarize(steps.slice(3))
  return {
    valid: false,
    timeProven: null,
    verdict: failedIndex === -1 ? 'unavailable' : 'failed',
    checks: { signature: summarize(steps.slice(0, 2)), merklePath: summarize([unknownLeaf]), anchor: chain },
    steps,
    failedStep: failedIndex === -1 ? null : failedIndex + 1,
    reason: (steps[failedIndex] ?? content).reason,
    chainTime: foundEvidence?.status === 'success' ? foundEvidence.blockAt : null,
    blockNumber: foundEvidence?.blockNumber ?? null,
    confirmations: foundEvidence?.confirmations ?? null,
    rungs: [],
  }
}

type EvidenceResult = AnchorEvidenceResult | 'none'

function checkRoot({ root, treeSize }: ClaimedAlert, evidenceResult: EvidenceResult): Outcome {
  const problem = findProblem(evidenceResult)
  if (problem) return problem
  if (root === undefined || treeSize === undefined)
    return createUnavailable('Cannot be checked without root and tree size')
  if (typeof evidenceResult !== 'object' || evidenceResult === null) return noChainResponse
  const isSame =
    typeof root === 'string' &&
    root.toLowerCase() === evidenceResult.root.toLowerCase() &&
    treeSize === evidenceResult.size
  if (isSame) return { status: 'passed', reason: `The chain holds this root for ${evidenceResult.size} entries` }
  return { status: 'failed', reason: `The chain holds another root, for ${evidenceResult.size} entries` }
}

function checkTransaction(evidenceResult: EvidenceResult): Outcome {
  const problem = findProblem(evidenceResult)
  if (problem) return problem
  if (typeof evidenceResult !== 'object' || evidenceResult === null) return noChainResponse
  const block = `block ${evidenceResult.blockNumber}`
  if (evidenceResult.status === 'success') return { status: 'passed', reason: `The transaction succeeded in ${block}` }
  return { status: 'failed', reason: `The transaction was reverted in ${block}` }
}

/** Maximum difference between clocks, the same as in the full check. */
const clockDifferenceMs = 60_000

function checkBlockTime({ createdAt }: ClaimedAlert, evidenceResult: EvidenceResult): Outcome {
  const problem = findProblem(evidenceResult)
  if (problem) return problem
  if (typeof evidenceResult !== 'object' || evidenceResult === null) return noChainResponse
  const isAfter = Date.parse(evidenceResult.blockAt) + clockDifferenceMs >= Date.parse(String(createdAt))
  const reason = `The block's time is ${evidenceResult.blockAt}, the alert's ${String(createdAt)}`
  return isAfter ? { status: 'passed', reason } : { status: 'failed', reason }
}

const noChainResponse = createUnavailable('The anchor chain did not respond')

/** Returns the reason that prevents every check against the chain, or null. */
function findProblem(evidenceResult: EvidenceResult): Outcome | null {
  if (evidenceResult === 'none')
    return { status: 'pending', reason: 'This copy does not include an anchoring transaction' }
  if (evidenceResult === 'unavailable') return noChainResponse
  if (evidenceResult === null)
    return { status: 'failed', reason: 'The transaction is not on the chain, or contains no anchor' }
  return null
}

function createUnavailable(reason: string): Outcome {
  return { status: 'unavailable', reason }
}

/**
 * Combines several steps into one. It has passed if all steps passed. Otherwise it has the reason
 * of the first step that did not pass.
 */
function summarize(steps: readonly Outcome[]): { valid: boolean; reason: string } {
  const firstNotPassed = steps.find(({ status }) => status !== 'passed')
  return { valid: !firstNotPassed, reason: (firstNotPassed ?? steps.at(-1))?.reason ?? '' }
}
