import { type AlertStatement, encodeAlert, parseAlert } from './alert.ts'
import { type Address, bytesToHex, type Hex, hexToBytes } from './hex.ts'
import { recoverSigner } from './signature.ts'
import { hashLeaf } from './tree.ts'
import { climbInclusion, type InclusionStep } from './tree-proof.ts'
import { hashAlert, type ProofDomain } from './typed-data.ts'

/**
 * An alert with its proof. Hex is lower-case, but for the signer's checksum. Until the log is anchored the path is empty, and
 * tree size, root and transaction are null.
 */
export interface SignedAlert extends AlertStatement {
  signature: string
  leafHash: Hex
  /** Sibling hashes, leaf to root. */
  merklePath: Hex[]
  treeSize: number | null
  root: Hex | null
  /** The transaction that anchored the root. */
  avalancheTx: Hex | null
}

/** A SignedAlert by somebody's word: any field may be missing or anything. */
export type ClaimedAlert = { readonly [field in keyof SignedAlert]?: unknown }

/** What the chain says about the alert's transaction: its status and the Anchored event of the contract in it. */
export interface AnchorEvidence {
  status: 'success' | 'reverted'
  contract: Address
  size: number
  root: Hex
  blockNumber: number
  /** The block's time as Date.toISOString() writes it. */
  blockAt: string
  confirmations: number
}

const checkIds = ['payload', 'signature', 'merklePath', 'root', 'transaction', 'blockTime'] as const
export type CheckId = (typeof checkIds)[number]

export interface Check {
  id: CheckId
  status: 'passed' | 'failed' | 'skipped' | 'pending' | 'unavailable'
  /** One sentence for a person. */
  reason: string
}

export interface Verification {
  verdict: 'verified' | 'not-anchored' | 'unavailable' | 'failed'
  failed: CheckId | null
  /** 1-based number of the check that failed. */
  step: number | null
  /** All six, in order. */
  checks: Check[]
  /** Time of the anchoring block once root and transaction have passed. */
  blockAt: string | null
  /** The way up as recomputed, from the leaf; `level` counts from 1, `side` is where the sibling stands. */
  rungs: { level: number; side: 'left' | 'right'; sibling: Hex; hash: Hex }[]
}

export interface VerificationInput {
  alert: ClaimedAlert
  domain: ProofDomain
  /** The published keys. */
  trustedSigners: readonly Address[]
  /** null: there is no such transaction, or no anchor of the contract in it. 'unavailable': the chain did not answer. */
  evidence: AnchorEvidence | null | 'unavailable'
}

type Outcome = Omit<Check, 'id'>

/** How far a block's time may lie before the alert's: two clocks, and chains that count whole seconds. */
const clockDifferenceMs = 60_000

const checkById: Record<CheckId, (input: VerificationInput) => Outcome> = {
  payload: checkPayload,
  signature: checkSignature,
  merklePath: checkMerklePath,
  root: checkRoot,
  transaction: checkTransaction,
  blockTime: checkBlockTime,
}

/**
 * Checks an alert's whole proof, in order, up to the first check that fails. An alert that is not anchored yet passes
 * what can be checked and has the rest pending. Never throws, whatever the alert holds.
 */
export function verifyAlert(input: VerificationInput): Verification {
  const checks: Check[] = []
  let failed: CheckId | null = null
  for (const id of checkIds) {
    const outcome: Outcome = failed ? skipped : attempt(() => checkById[id](input))
    if (outcome.status === 'failed') failed = id
    checks.push({ id, ...outcome })
  }
  const hasPassed = (id: CheckId) => checks.some((check) => check.id === id && check.status === 'passed')
  const { evidence } = input
  return {
    verdict: concludeVerdict(checks),
    failed,
    step: failed && checkIds.indexOf(failed) + 1,
    checks,
    blockAt: evidence && evidence !== 'unavailable' && hasPassed('transaction') ? evidence.blockAt : null,
    rungs: hasPassed('signature') ? readRungs(input.alert) : [],
  }
}

const skipped: Outcome = { status: 'skipped', reason: 'Not checked, because an earlier check failed' }
const notAnchored: Outcome = { status: 'pending', reason: 'The alert is not anchored yet' }
const chainSilent: Outcome = { status: 'unavailable', reason: 'The anchor chain could not be asked' }

function passed(reason: string): Outcome {
  return { status: 'passed', reason }
}

function failedBecause(reason: string): Outcome {
  return { status: 'failed', reason }
}

function attempt(check: () => Outcome): Outcome {
  try {
    return check()
  } catch (error) {
    return failedBecause(error instanceof Error ? error.message : 'The check could not be carried out')
  }
}

function concludeVerdict(checks: readonly Check[]): Verification['verdict'] {
  const has = (status: Check['status']) => checks.some((check) => check.status === status)
  if (has('failed')) return 'failed'
  if (has('unavailable')) return 'unavailable'
  return has('pending') ? 'not-anchored' : 'verified'
}

function checkPayload({ alert }: VerificationInput): Outcome {
  const leafHash = bytesToHex(hashLeaf(encodeAlert(parseAlert(alert))))
  const claimed = readHash(alert.leafHash, 'leaf hash')
  if (claimed !== leafHash) {
    return failedBecause(`The content hashes to ${shortHash(leafHash)}, the alert says ${shortHash(claimed)}`)
  }
  return passed(`The content hashes to the leaf ${shortHash(leafHash)}`)
}

function checkSignature({ alert, domain, trustedSigners }: VerificationInput): Outcome {
  const statement = parseAlert(alert)
  const digest = hashAlert(domain, statement)
  const recovered = typeof alert.signature === 'string' ? recoverSigner(digest, alert.signature) : null
  if (!recovered) return failedBecause('The signature is malformed')
  if (recovered !== statement.signer) {
    return failedBecause(
      `The signature leads to ${shortAddress(recovered)}, the alert says ${shortAddress(statement.signer)}`,
    )
  }
  const isPublished = trustedSigners.some((signer) => signer.toLowerCase() === recovered.toLowerCase())
  if (!isPublished) return failedBecause(`Signer ${shortAddress(recovered)} is not a published key`)
  return passed(`Signer ${shortAddress(recovered)} is the published key`)
}

function checkMerklePath({ alert }: VerificationInput): Outcome {
  if (isOutsideTree(alert)) return notAnchored
  const { index, size, path, root } = readPlace(alert)
  const steps = climb(alert)
  if (!steps) return failedBecause(`A path of ${path.length} hashes does not fit entry ${index} of ${size}`)
  const recomputed = steps.at(-1)?.hash
  const top = recomputed ? bytesToHex(recomputed) : readHash(alert.leafHash, 'leaf hash')
  if (top !== root) return failedBecause(`Recomputed root ${shortHash(top)}, the alert says ${shortHash(root)}`)
  return passed(`Entry ${index} of ${size} leads to the root ${shortHash(root)}`)
}

function checkRoot({ alert, domain, evidence }: VerificationInput): Outcome {
  if (alert.avalancheTx === null) return notAnchored
  const transaction = readHash(alert.avalancheTx, 'transaction')
  if (evidence === 'unavailable') return chainSilent
  if (!evidence) {
    return failedBecause(`No such transaction as ${shortHash(transaction)}, or no anchor event of the contract in it`)
  }
  const { size, root } = readPlace(alert)
  if (evidence.contract.toLowerCase() !== domain.verifyingContract.toLowerCase()) {
    return failedBecause(`The anchor is of the contract ${shortAddress(evidence.contract)}, which is not the log's`)
  }
  if (evidence.root.toLowerCase() !== root) {
    return failedBecause(`The chain holds the root ${shortHash(evidence.root)}, the alert says ${shortHash(root)}`)
  }
  if (evidence.size !== size) {
    return failedBecause(`The chain holds a tree of ${evidence.size} alerts, the alert says ${size}`)
  }
  return passed(`The contract ${shortAddress(evidence.contract)} holds this root for ${size} alerts`)
}

function checkTransaction({ alert, evidence }: VerificationInput): Outcome {
  if (alert.avalancheTx === null) return notAnchored
  if (evidence === 'unavailable' || !evidence) return chainSilent
  const block = `block ${evidence.blockNumber}`
  if (evidence.status !== 'success') return failedBecause(`The transaction was reverted in ${block}`)
  const { confirmations } = evidence
  return passed(
    `The transaction succeeded in ${block}, with ${confirmations} confirmation${confirmations === 1 ? '' : 's'}`,
  )
}

function checkBlockTime({ alert, evidence }: VerificationInput): Outcome {
  if (alert.avalancheTx === null) return notAnchored
  if (evidence === 'unavailable' || !evidence) return chainSilent
  const { createdAt } = parseAlert(alert)
  const isAfter = Date.parse(evidence.blockAt) + clockDifferenceMs >= Date.parse(createdAt)
  if (!isAfter) return failedBecause(`The block is of ${evidence.blockAt}, before the alert of ${createdAt}`)
  return passed(`The block is of ${evidence.blockAt}, the alert of ${createdAt}`)
}

/** Only when the alert says of all four that there is none yet: half a proof is a broken one, and so is a missing field. */
function isOutsideTree({ merklePath, treeSize, root, avalancheTx }: ClaimedAlert): boolean {
  const hasNoPath = Array.isArray(merklePath) && merklePath.length === 0
  return hasNoPath && treeSize === null && root === null && avalancheTx === null
}

/** @throws Error naming what is missing or malformed */
function readPlace(alert: ClaimedAlert): { index: number; size: number; path: Uint8Array[]; root: Hex } {
  const { merklePath, treeSize } = alert
  if (typeof treeSize !== 'number') throw new Error('The alert names no tree size')
  // A tree of 2^53 leaves is 53 levels high.
  if (!Array.isArray(merklePath) || merklePath.length > 53) throw new Error('The path is not a list of hashes')
  return {
    index: parseAlert(alert).index,
    size: treeSize,
    path: merklePath.map((hash) => hexToBytes(readHash(hash, 'path'))),
    root: readHash(alert.root, 'root'),
  }
}

function climb(alert: ClaimedAlert): InclusionStep[] | null {
  return climbInclusion({ leafHash: hexToBytes(readHash(alert.leafHash, 'leaf hash')), ...readPlace(alert) })
}

function readRungs(alert: ClaimedAlert): Verification['rungs'] {
  try {
    const steps = climb(alert) ?? []
    return steps.map(({ side, sibling, hash }, i) => ({
      level: i + 1,
      side,
      sibling: bytesToHex(sibling),
      hash: bytesToHex(hash),
    }))
  } catch {
    // A malformed path has no way up; the check has said why.
    return []
  }
}

/** @throws Error naming the hash */
function readHash(value: unknown, name: string): Hex {
  if (typeof value !== 'string' || !isHash(value)) throw new Error(`The ${name} is not 0x and 64 lower-case hex digits`)
  return value
}

function isHash(value: string): value is Hex {
  return /^0x[0-9a-f]{64}$/.test(value)
}

function shortHash(hash: Hex): string {
  return `${hash.slice(2, 6)}…${hash.slice(-4)}`
}

function shortAddress(address: Address): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`
}
