import {
  type CheckResult,
  chainUnavailableResult,
  createFailedResult,
  createPassedResult,
  notAnchoredResult,
} from './check-result.ts'
import type { AnchorEvidenceResult } from './evidence.ts'
import { type ClaimedPosition, computePathSteps, isUnanchored, parsePosition } from './place.ts'
import type { ProofDomain } from './typed-data.ts'
import { readHash, shortenAddress, shortenHash, shortenHashes } from './words.ts'

/**
 * The last four of the six checks of an alert, which key lists and outcomes use too. These checks
 * follow an entry from its leaf hash along the Merkle path to the anchor on the chain.
 */

/** The noun for the verified entry in messages. */
type EntryNoun = 'alert' | 'list' | 'outcome'

/**
 * Maximum time by which the timestamp of a block may be before the stated time of an entry that it
 * anchors. Allows for clock differences and for block timestamps in whole seconds.
 */
export const maxClockDifferenceMs = 60_000

/**
 * The stated time of an alert or outcome counts as proven only if its anchor follows within this
 * time. Anchors normally follow within seconds. The limit leaves room for node outages, stuck
 * transactions and replacement transactions, but is too short to observe a market move and then
 * "predict" it.
 */
export const maxAnchorDelayMs = 15 * 60_000

/** @param blockMs block time of the first anchor that covers an entry created at `createdMs` */
export function isAnchoredLate(createdMs: number, blockMs: number): boolean {
  return blockMs - createdMs > maxAnchorDelayMs
}

/** @throws Error naming what is missing or malformed */
export function checkMerklePath(claim: ClaimedPosition, claimant: EntryNoun = 'alert'): CheckResult {
  if (isUnanchored(claim)) return notAnchoredResult
  const position = parsePosition(claim)
  const { index, size, path, root } = position
  const rungs = computePathSteps(position)
  if (!rungs) return createFailedResult(`A path of ${path.length} hashes does not fit entry ${index} of ${size}`)
  const topHash = rungs.at(-1)?.hash ?? position.leafHash
  if (topHash !== root) {
    const [recomputedText, claimedText] = shortenHashes(topHash, root)
    return createFailedResult(`Recomputed root ${recomputedText}, the ${claimant} says ${claimedText}`)
  }
  return createPassedResult(`Entry ${index} of ${size} leads to the root ${shortenHash(root)}`)
}

/** @throws Error naming what is missing or malformed */
export function checkRoot(
  claim: ClaimedPosition,
  domain: ProofDomain,
  evidence: AnchorEvidenceResult,
  claimant: EntryNoun = 'alert',
): CheckResult {
  if (claim.avalancheTx === null) return notAnchoredResult
  const transaction = readHash(claim.avalancheTx, 'transaction')
  if (evidence === 'unavailable') return chainUnavailableResult
  if (!evidence) {
    return createFailedResult(
      `No such transaction on the chain, or no anchor event of the contract in it: ${shortenHash(transaction)}`,
    )
  }
  const { size, root } = parsePosition(claim)
  if (evidence.contract.toLowerCase() !== domain.verifyingContract.toLowerCase()) {
    return createFailedResult(
      `The anchor is of the contract ${shortenAddress(evidence.contract)}, which is not the log's`,
    )
  }
  if (evidence.root.toLowerCase() !== root) {
    const [anchoredText, claimedText] = shortenHashes(evidence.root, root)
    return createFailedResult(`The chain holds the root ${anchoredText}, the ${claimant} says ${claimedText}`)
  }
  if (evidence.size !== size) {
    return createFailedResult(`The chain holds a tree of ${evidence.size} entries, the ${claimant} says ${size}`)
  }
  return createPassedResult(`The contract ${shortenAddress(evidence.contract)} holds this root for ${size} entries`)
}

export function checkTransaction({ avalancheTx }: ClaimedPosition, evidence: AnchorEvidenceResult): CheckResult {
  if (avalancheTx === null) return notAnchoredResult
  if (evidence === 'unavailable' || !evidence) return chainUnavailableResult
  const block = `block ${evidence.blockNumber}`
  if (evidence.status !== 'success') return createFailedResult(`The transaction was reverted in ${block}`)
  const { confirmations } = evidence
  return createPassedResult(
    `The transaction succeeded in ${block}, with ${confirmations} confirmation${confirmations === 1 ? '' : 's'}`,
  )
}

/** @param anchoredAt the block time that the entry states; undefined or null if it states none */
export function checkBlockTime(
  { avalancheTx }: ClaimedPosition,
  { createdAt, anchoredAt }: { createdAt: string; anchoredAt?: unknown },
  evidence: AnchorEvidenceResult,
  claimant: EntryNoun = 'alert',
): CheckResult {
  if (avalancheTx === null) return notAnchoredResult
  if (evidence === 'unavailable' || !evidence) return chainUnavailableResult
  const { blockAt } = evidence
  const isAfter = Date.parse(blockAt) + maxClockDifferenceMs >= Date.parse(createdAt)
  if (!isAfter) return createFailedResult(`The block's time, ${blockAt}, is before the ${claimant}'s, ${createdAt}`)
  if (anchoredAt !== undefined && anchoredAt !== null && anchoredAt !== blockAt) {
    return createFailedResult(`The block's time is ${blockAt}, the ${claimant} names another time for its anchor`)
  }
  // A late anchor of a key list is accepted: no verdict depends on the delay, and the first list
  // cannot be anchored until the contract is deployed.
  if (claimant !== 'list' && isAnchoredLate(Date.parse(createdAt), Date.parse(blockAt))) {
    const limit = `more than ${maxAnchorDelayMs / 60_000} minutes`
    const reason = `The block's time, ${blockAt}, is ${limit} after the ${claimant}'s, ${createdAt}`
    return { status: 'unproven', reason }
  }
  return createPassedResult(`The block's time is ${blockAt}, the ${claimant}'s ${createdAt}`)
}
