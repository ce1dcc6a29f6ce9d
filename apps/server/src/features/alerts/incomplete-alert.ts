import type { AnchorEvidenceResult, ClaimedAlert } from '@tocsin/proof'
import type { VerifyAlertResponse } from '@tocsin/protocol'

/**
 * Checks of incomplete alerts. An alert that was copied in the specification's format lacks fields
 * that are signed, hashed or needed for the Merkle path.
 */

type Step = VerifyAlertResponse['steps'][number]
type Outcome = Pick<Step, 'status' | 'reason'>

/**
 * The required fields, with their names in a pasted alert. Corrections and retractions have further
 * fields, which are null or absent in an alert.
 */
const neededFields = {
  origin: 'origin',
  signalHash: 'signalHash',
  signer: 'signer',
  index: 'logIndex',
  leafHash: 'leafHash',
  treeSize: 'treeSize',
  root: 'root',
} as const

/** Returns the names of the missing fields that a full check of an alert needs. */
export function listMissing(alert: ClaimedAlert): string[] {
  return Object.entries(neededFields).flatMap(([field, name]) => (field in alert ? [] : [name]))
}

/**
 * Presents the checks that are possible for an alert with missing fields: the checks of its
 * transaction on the chain. For all other checks, the result contains the reason why they were
 * skipped.
 */
export function presentIncomplete(
  alert: ClaimedAlert,
  missing: readonly string[],
  evidence: AnchorEvidenceResult,
): VerifyAlertResponse {
  const content = unavailable(
    `Cannot be checked: this copy lacks ${missing.join(', ')}, and you have no access to an alert with this id`,
  )
  const unknownLeaf = unavailable('Cannot be checked without the hash of the whole content')
  const evidenceResult = alert.avalancheTx === null ? 'none' : evidence
  const steps: Step[] = [
    { id: 'payload', ...content },
    { id: 'signature', ...content },
    { id: 'merklePath', ...unknownLeaf },
    { id: 'root', ...checkRoot(alert, evidenceResult) },
    { id: 'transaction', ...checkTransaction(evidenceResult) },
    { id: 'blockTime', ...checkBlockTime(alert, evidenceResult) },
  ]
  const failedIndex = steps.findIndex(({ status }) => status === 'failed')
  const named = typeof evidenceResult === 'object' && evidenceResult !== null ? evidenceResult : null
  const chain = summarize(steps.slice(3))
  return {
    valid: false,
    timeProven: null,
    verdict: failedIndex === -1 ? 'unavailable' : 'failed',
    checks: { signature: summarize(steps.slice(0, 2)), merklePath: summarize([unknownLeaf]), anchor: chain },
    steps,
    failedStep: failedIndex === -1 ? null : failedIndex + 1,
    reason: (steps[failedIndex] ?? content).reason,
    chainTime: named?.status === 'success' ? named.blockAt : null,
    blockNumber: named?.blockNumber ?? null,
    confirmations: named?.confirmations ?? null,
    rungs: [],
  }
}

type EvidenceResult = AnchorEvidenceResult | 'none'

function checkRoot({ root, treeSize }: ClaimedAlert, found: EvidenceResult): Outcome {
  const problem = findProblem(found)
  if (problem) return problem
  if (root === undefined || treeSize === undefined) return unavailable('Cannot be checked without root and tree size')
  if (typeof found !== 'object' || found === null) return silent
  const isSame = typeof root === 'string' && root.toLowerCase() === found.root.toLowerCase() && treeSize === found.size
  if (isSame) return { status: 'passed', reason: `The chain holds this root for ${found.size} entries` }
  return { status: 'failed', reason: `The chain holds another root, for ${found.size} entries` }
}

function checkTransaction(found: EvidenceResult): Outcome {
  const problem = findProblem(found)
  if (problem) return problem
  if (typeof found !== 'object' || found === null) return silent
  const block = `block ${found.blockNumber}`
  if (found.status === 'success') return { status: 'passed', reason: `The transaction succeeded in ${block}` }
  return { status: 'failed', reason: `The transaction was reverted in ${block}` }
}

/** Maximum difference between clocks, the same as in the full check. */
const clockDifferenceMs = 60_000

function checkBlockTime({ createdAt }: ClaimedAlert, found: EvidenceResult): Outcome {
  const problem = findProblem(found)
  if (problem) return problem
  if (typeof found !== 'object' || found === null) return silent
  const isAfter = Date.parse(found.blockAt) + clockDifferenceMs >= Date.parse(String(createdAt))
  const reason = `The block's time is ${found.blockAt}, the alert's ${String(createdAt)}`
  return isAfter ? { status: 'passed', reason } : { status: 'failed', reason }
}

const silent = unavailable('The anchor chain did not respond')

/** Returns the reason that prevents every check against the chain, or null. */
function findProblem(found: EvidenceResult): Outcome | null {
  if (found === 'none') return { status: 'pending', reason: 'This copy does not include an anchoring transaction' }
  if (found === 'unavailable') return silent
  if (found === null) return { status: 'failed', reason: 'The transaction is not on the chain, or contains no anchor' }
  return null
}

function unavailable(reason: string): Outcome {
  return { status: 'unavailable', reason }
}

/**
 * Combines several steps into one. It has passed if all steps passed. Otherwise it has the reason
 * of the first step that did not pass.
 */
function summarize(steps: readonly Outcome[]): { valid: boolean; reason: string } {
  const bad = steps.find(({ status }) => status !== 'passed')
  return { valid: !bad, reason: (bad ?? steps.at(-1))?.reason ?? '' }
}
