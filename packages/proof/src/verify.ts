import { type AlertStatement, encodeAlert, parseAlert } from './alert.ts'
import { checkBlockTime, checkMerklePath, checkRoot, checkTransaction } from './anchor-checks.ts'
import { type CheckResult, createFailedResult, createPassedResult, skippedResult } from './check-result.ts'
import type { AnchorEvidenceResult } from './evidence.ts'
import { bytesToHex, type Hex } from './hex.ts'
import { describeWindow, findKeyAt } from './key-list.ts'
import type { SigningKey } from './keys.ts'
import { computePathSteps, type PathStep, parsePosition } from './place.ts'
import { recoverSigner } from './signature.ts'
import { hashLeaf } from './tree.ts'
import { hashAlert, type ProofDomain } from './typed-data.ts'
import { getErrorMessage, readHash, shortenAddress, shortenHash, shortenHashes } from './words.ts'

/**
 * An alert with its proof. Hex is lower-case, except for the checksum of the signer. Until the
 * alert is anchored, the path is empty, and tree size, root and transaction are null.
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

/**
 * An untrusted SignedAlert: any field may be missing or malformed. `anchoredAt` is optional and
 * checked if present.
 */
export type ClaimedAlert = { readonly [field in keyof SignedAlert | 'anchoredAt']?: unknown }

const checkIds = ['payload', 'signature', 'merklePath', 'root', 'transaction', 'blockTime'] as const
export type CheckId = (typeof checkIds)[number]

export interface Check extends CheckResult {
  id: CheckId
}

export interface Verification {
  /**
   * `time-not-proven`: all other checks passed, but the anchor came too late to prove the stated
   * time of issue.
   */
  verdict: 'verified' | 'time-not-proven' | 'not-anchored' | 'unavailable' | 'failed'
  failed: CheckId | null
  /** 1-based number of the check that failed. */
  step: number | null
  /** All six checks, in order. */
  checks: Check[]
  /** Time of the anchoring block, if the checks of root and transaction passed. */
  blockAt: string | null
  /** The recomputed Merkle path, starting at the leaf. */
  rungs: PathStep[]
}

export interface VerificationInput {
  alert: ClaimedAlert
  domain: ProofDomain
  /** The keys of the published key list, from verifyKeyList. */
  keys: readonly SigningKey[]
  /**
   * Set if the key list is invalid or cannot be verified yet. This value is then the result of the
   * signature check, unless the check fails for another reason.
   */
  keyProblem?: CheckResult | null
  evidence: AnchorEvidenceResult
}

const checkById: Record<CheckId, (input: VerificationInput) => CheckResult> = {
  payload: checkPayload,
  signature: checkSignature,
  merklePath: ({ alert }) => checkMerklePath(alert),
  root: ({ alert, domain, evidence }) => checkRoot(alert, domain, evidence),
  transaction: ({ alert, evidence }) => checkTransaction(alert, evidence),
  blockTime: ({ alert, evidence }) => {
    const { createdAt } = parseAlert(alert)
    return checkBlockTime(alert, { createdAt, anchoredAt: alert.anchoredAt }, evidence)
  },
}

/**
 * Runs all checks of an alert's proof in order, up to the first failure. For an alert that is not
 * anchored yet, the checks of the anchor are pending. Never throws, whatever the alert contains.
 */
export function verifyAlert(input: VerificationInput): Verification {
  const checks: Check[] = []
  let failedCheck: CheckId | null = null
  for (const id of checkIds) {
    const result: CheckResult = failedCheck ? skippedResult : failOnError(() => checkById[id](input))
    if (result.status === 'failed') failedCheck = id
    checks.push({ id, ...result })
  }
  const hasPassed = (id: CheckId) => checks.some((check) => check.id === id && check.status === 'passed')
  const { evidence } = input
  return {
    verdict: decideVerdict(checks),
    failed: failedCheck,
    step: failedCheck && checkIds.indexOf(failedCheck) + 1,
    checks,
    blockAt: evidence && evidence !== 'unavailable' && hasPassed('transaction') ? evidence.blockAt : null,
    rungs: hasPassed('signature') ? readRungs(input.alert) : [],
  }
}

function failOnError(check: () => CheckResult): CheckResult {
  try {
    return check()
  } catch (error) {
    return createFailedResult(getErrorMessage(error))
  }
}

function decideVerdict(checks: readonly Check[]): Verification['verdict'] {
  const hasStatus = (status: Check['status']) => checks.some((check) => check.status === status)
  if (hasStatus('failed')) return 'failed'
  if (hasStatus('unavailable')) return 'unavailable'
  if (hasStatus('pending')) return 'not-anchored'
  return hasStatus('unproven') ? 'time-not-proven' : 'verified'
}

function checkPayload({ alert }: VerificationInput): CheckResult {
  const leafHash = bytesToHex(hashLeaf(encodeAlert(parseAlert(alert))))
  const claimedHash = readHash(alert.leafHash, 'leaf hash')
  if (claimedHash !== leafHash) {
    const [computedText, statedText] = shortenHashes(leafHash, claimedHash)
    return createFailedResult(`The content hashes to ${computedText}, the alert says ${statedText}`)
  }
  return createPassedResult(`The content hashes to the leaf ${shortenHash(leafHash)}`)
}

function checkSignature({ alert, domain, keys, keyProblem }: VerificationInput): CheckResult {
  const statement = parseAlert(alert)
  const { index, signer } = statement
  const digest = hashAlert(domain, statement)
  const recoveredSigner = typeof alert.signature === 'string' ? recoverSigner(digest, alert.signature) : null
  if (!recoveredSigner) return createFailedResult('The signature is malformed')
  const name = shortenAddress(recoveredSigner)
  if (recoveredSigner !== signer) {
    return createFailedResult(`The signature leads to ${name}, the alert says ${shortenAddress(signer)}`)
  }
  if (keyProblem?.status === 'failed') return keyProblem
  const key = keys.find(({ address }) => address.toLowerCase() === recoveredSigner.toLowerCase())
  if (!key) return createFailedResult(`Signer ${name} is not a published key`)
  const window = describeWindow(key)
  if (findKeyAt(keys, index) !== key)
    return createFailedResult(`Signer ${name} signs ${window}, this is entry ${index}`)
  if (keyProblem) return keyProblem
  const isOnlyKey = key.fromIndex === 0 && key.untilIndex === null
  return createPassedResult(`Signer ${name} is the published key${isOnlyKey ? '' : ` for ${window}`}`)
}

function readRungs(alert: ClaimedAlert): PathStep[] {
  try {
    return computePathSteps(parsePosition(alert)) ?? []
  } catch {
    // checkMerklePath reports malformed paths.
    return []
  }
}
