import type { EvidenceAnswer } from './evidence.ts'
import { chainSilent, failedBecause, notAnchored, type Outcome, passed } from './outcome.ts'
import { type ClaimedPlace, climb, isOutsideTree, readPlace } from './place.ts'
import type { ProofDomain } from './typed-data.ts'
import { readHash, shortAddress, shortHash, shortHashes } from './words.ts'

/** Checks 3 to 6: from an entry's leaf hash over the path to what the chain holds. The same for alerts and key lists. */

/** What sentences call whoever makes the claim. */
type Claimant = 'alert' | 'list'

/** How far a block's time may lie before the entry's: two clocks, and chains that count whole seconds. */
export const clockDifferenceMs = 60_000

/**
 * How long after its stated time an alert may be anchored for that time to count as proved. Anchors follow within seconds; this
 * leaves room for a node that is away, a stuck transaction and its replacements, and is too short to watch a market move and
 * then "predict" it.
 */
export const latestAnchorMs = 15 * 60_000

/** @throws Error naming what is missing or malformed */
export function checkMerklePath(claim: ClaimedPlace, claimant: Claimant = 'alert'): Outcome {
  if (isOutsideTree(claim)) return notAnchored
  const place = readPlace(claim)
  const { index, size, path, root } = place
  const rungs = climb(place)
  if (!rungs) return failedBecause(`A path of ${path.length} hashes does not fit entry ${index} of ${size}`)
  const top = rungs.at(-1)?.hash ?? place.leafHash
  if (top !== root) {
    const [recomputed, claimed] = shortHashes(top, root)
    return failedBecause(`Recomputed root ${recomputed}, the ${claimant} says ${claimed}`)
  }
  return passed(`Entry ${index} of ${size} leads to the root ${shortHash(root)}`)
}

/** @throws Error naming what is missing or malformed */
export function checkRoot(
  claim: ClaimedPlace,
  domain: ProofDomain,
  evidence: EvidenceAnswer,
  claimant: Claimant = 'alert',
): Outcome {
  if (claim.avalancheTx === null) return notAnchored
  const transaction = readHash(claim.avalancheTx, 'transaction')
  if (evidence === 'unavailable') return chainSilent
  if (!evidence) {
    return failedBecause(`No such transaction as ${shortHash(transaction)}, or no anchor event of the contract in it`)
  }
  const { size, root } = readPlace(claim)
  if (evidence.contract.toLowerCase() !== domain.verifyingContract.toLowerCase()) {
    return failedBecause(`The anchor is of the contract ${shortAddress(evidence.contract)}, which is not the log's`)
  }
  if (evidence.root.toLowerCase() !== root) {
    const [anchored, claimed] = shortHashes(evidence.root, root)
    return failedBecause(`The chain holds the root ${anchored}, the ${claimant} says ${claimed}`)
  }
  if (evidence.size !== size) {
    return failedBecause(`The chain holds a tree of ${evidence.size} entries, the ${claimant} says ${size}`)
  }
  return passed(`The contract ${shortAddress(evidence.contract)} holds this root for ${size} entries`)
}

export function checkTransaction({ avalancheTx }: ClaimedPlace, evidence: EvidenceAnswer): Outcome {
  if (avalancheTx === null) return notAnchored
  if (evidence === 'unavailable' || !evidence) return chainSilent
  const block = `block ${evidence.blockNumber}`
  if (evidence.status !== 'success') return failedBecause(`The transaction was reverted in ${block}`)
  const { confirmations } = evidence
  return passed(
    `The transaction succeeded in ${block}, with ${confirmations} confirmation${confirmations === 1 ? '' : 's'}`,
  )
}

/** @param anchoredAt the block's time by the entry's own word, undefined or null where it has none */
export function checkBlockTime(
  { avalancheTx }: ClaimedPlace,
  { createdAt, anchoredAt }: { createdAt: string; anchoredAt?: unknown },
  evidence: EvidenceAnswer,
  claimant: Claimant = 'alert',
): Outcome {
  if (avalancheTx === null) return notAnchored
  if (evidence === 'unavailable' || !evidence) return chainSilent
  const { blockAt } = evidence
  const isAfter = Date.parse(blockAt) + clockDifferenceMs >= Date.parse(createdAt)
  if (!isAfter) return failedBecause(`The block's time, ${blockAt}, is before the ${claimant}'s, ${createdAt}`)
  if (anchoredAt !== undefined && anchoredAt !== null && anchoredAt !== blockAt) {
    return failedBecause(`The block's time is ${blockAt}, the ${claimant} names another time for its anchor`)
  }
  if (claimant === 'alert' && Date.parse(blockAt) - Date.parse(createdAt) > latestAnchorMs) {
    const limit = `more than ${latestAnchorMs / 60_000} minutes`
    return { status: 'unproven', reason: `The block's time, ${blockAt}, is ${limit} after the alert's, ${createdAt}` }
  }
  return passed(`The block's time is ${blockAt}, the ${claimant}'s ${createdAt}`)
}
