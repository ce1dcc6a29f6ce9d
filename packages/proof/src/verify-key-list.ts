import { checkBlockTime, checkMerklePath, checkRoot, checkTransaction } from './anchor-checks.ts'
import { textToBytes } from './canonical-json.ts'
import { type EvidenceAnswer, readAnchorEvidence } from './evidence.ts'
import { type Address, bytesToHex } from './hex.ts'
import type { Rpc } from './json-rpc.ts'
import { assertNextKeyList, describeWindow, keyAt } from './key-list.ts'
import { decodeKeys, type KeysStatement, type SigningKey } from './keys.ts'
import type { Outcome } from './outcome.ts'
import { recoverSigner } from './signature.ts'
import type { SignedEntry } from './signed-entry.ts'
import { hashLeaf } from './tree.ts'
import { hashStatement, type ProofDomain } from './typed-data.ts'
import { errorMessage, shortAddress } from './words.ts'

export interface KeyListInput {
  domain: ProofDomain
  /** The trusted first key. */
  firstSigner: Address
  /** All key lists of the log, in log order. */
  entries: readonly SignedEntry[]
  /** Evidence for each entry, in the same order, from readKeyListEvidence. */
  evidence: readonly EvidenceAnswer[]
}

export interface TrustedKeys {
  keys: SigningKey[]
  /** Log indexes of lists that are not anchored yet. */
  pending: number[]
  /** Log indexes of lists whose anchors could not be read from the chain. */
  unavailable: number[]
}

/** The reason, and the position in `entries` of the invalid list. */
export interface KeyListFailure {
  failure: string
  at: number
}

/** Reads the anchor of each list from the chain. Never throws. */
export async function readKeyListEvidence(
  rpc: Rpc,
  domain: ProofDomain,
  entries: readonly SignedEntry[],
): Promise<EvidenceAnswer[]> {
  const evidence: EvidenceAnswer[] = []
  for (const { avalancheTx, treeSize } of entries) {
    evidence.push(avalancheTx === null ? null : await readAnchorEvidence(rpc, domain, avalancheTx, treeSize))
  }
  return evidence
}

/**
 * Derives the windows of all keys from the trusted first key. Checks content, signature, succession
 * and anchor of each list; lists that are not anchored yet are reported as pending. Never throws.
 */
export function verifyKeyList({ domain, firstSigner, entries, evidence }: KeyListInput): TrustedKeys | KeyListFailure {
  if (entries.length === 0) return { failure: 'There is no key list', at: 0 }
  const trusted: TrustedKeys = { keys: [], pending: [], unavailable: [] }
  let former: SigningKey[] | null = null
  for (const [at, entry] of entries.entries()) {
    try {
      const statement = readKeyList(entry, domain)
      assertOrder(statement, entries[at - 1])
      assertSigner(statement, former, firstSigner)
      assertNextKeyList(former, statement)
      former = statement.keys
      const anchoring = checkAnchoring(entry, statement, domain, evidence[at] ?? null)
      if (anchoring === 'pending') trusted.pending.push(entry.index)
      if (anchoring === 'unavailable') trusted.unavailable.push(entry.index)
    } catch (error) {
      return { failure: errorMessage(error), at }
    }
  }
  return { ...trusted, keys: former ?? [] }
}

/** @throws Error if content, leaf hash, index and signature do not match */
function readKeyList(entry: SignedEntry, domain: ProofDomain): KeysStatement {
  const bytes = textToBytes(entry.bytes)
  const statement = decodeKeys(bytes)
  const { index, signer } = statement
  if (index !== entry.index) throw new Error(`The key list of entry ${entry.index} says that it is entry ${index}`)
  if (bytesToHex(hashLeaf(bytes)) !== entry.leafHash) {
    throw new Error(`The leaf hash of the key list of entry ${index} is not that of its content`)
  }
  const recovered = recoverSigner(hashStatement(domain, statement), entry.signature)
  if (!recovered) throw new Error(`The signature of the key list of entry ${index} is malformed`)
  if (recovered !== signer) {
    const names = `leads to ${shortAddress(recovered)}, the list says ${shortAddress(signer)}`
    throw new Error(`The signature of the key list of entry ${index} ${names}`)
  }
  return statement
}

/** @throws Error if the signer is not valid at the list's own index */
function assertSigner({ index, signer }: KeysStatement, former: readonly SigningKey[] | null, first: Address): void {
  const name = shortAddress(signer)
  if (!former) {
    if (signer.toLowerCase() === first.toLowerCase()) return
    throw new Error(`The first key list is signed by ${name}, the trusted first key is ${shortAddress(first)}`)
  }
  const key = former.find(({ address }) => address === signer)
  if (!key) throw new Error(`The key list of entry ${index} is signed by ${name}, which is not a published key`)
  if (keyAt(former, index) === key) return
  throw new Error(`Signer ${name} signs ${describeWindow(key)}, the key list is entry ${index}`)
}

/** The windows alone do not order the first two lists, because the first one may have any index. */
function assertOrder({ index }: KeysStatement, before: SignedEntry | undefined): void {
  if (before && index <= before.index) {
    throw new Error(`The key list of entry ${index} is listed after that of entry ${before.index}`)
  }
}

/** @throws Error when the anchor contradicts the list */
function checkAnchoring(
  entry: SignedEntry,
  statement: KeysStatement,
  domain: ProofDomain,
  evidence: EvidenceAnswer,
): Outcome['status'] {
  const outcomes = [
    checkMerklePath(entry, 'list'),
    checkRoot(entry, domain, evidence, 'list'),
    checkTransaction(entry, evidence),
    checkBlockTime(entry, { createdAt: statement.createdAt }, evidence, 'list'),
  ]
  const failed = outcomes.find(({ status }) => status === 'failed')
  if (failed) throw new Error(`The key list of entry ${entry.index} can't be proved: ${failed.reason}`)
  const open = outcomes.find(({ status }) => status !== 'passed')
  return open?.status ?? 'passed'
}
