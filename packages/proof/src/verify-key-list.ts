import { type AnchorEvidenceResult, readAnchorEvidence } from './evidence.ts'
import type { Address } from './hex.ts'
import type { Rpc } from './json-rpc.ts'
import { assertNextKeyList, describeWindow, findKeyAt } from './key-list.ts'
import { decodeKeys, type KeysStatement, type SigningKey } from './keys.ts'
import type { SignedEntry } from './signed-entry.ts'
import type { ProofDomain } from './typed-data.ts'
import { checkAnchoring, type EntryKind, readSignedStatement } from './verify-signed-entry.ts'
import { getErrorMessage, shortenAddress } from './words.ts'

export interface KeyListInput {
  domain: ProofDomain
  /** The trusted first key. */
  firstSigner: Address
  /** All key lists of the log, in log order. */
  entries: readonly SignedEntry[]
  /** Evidence for each entry, in the same order, from readEntryEvidence. */
  evidence: readonly AnchorEvidenceResult[]
}

export interface TrustedKeys {
  keys: SigningKey[]
  /** Log indexes of lists that are not anchored yet. */
  pending: number[]
  /** Log indexes of lists whose anchors could not be read from the chain. */
  unavailable: number[]
}

/** Why a key list is invalid, and its position in `entries`. */
export interface KeyListFailure {
  failure: string
  at: number
}

const kind: EntryKind<KeysStatement> = { name: 'key list', noun: 'list', decode: decodeKeys }

/** Reads the anchor of each key list, or of each outcome, from the chain. Never throws. */
export async function readEntryEvidence(
  rpc: Rpc,
  domain: ProofDomain,
  entries: readonly SignedEntry[],
): Promise<AnchorEvidenceResult[]> {
  const evidence: AnchorEvidenceResult[] = []
  for (const { avalancheTx, treeSize } of entries) {
    evidence.push(await readAnchorEvidence(rpc, domain, avalancheTx, treeSize))
  }
  return evidence
}

/**
 * Derives the windows of all keys from the trusted first key. Checks content, signature and anchor
 * of each list, and that it is a valid successor of the previous list. Lists that are not anchored
 * yet are reported as pending. Never throws.
 */
export function verifyKeyList({ domain, firstSigner, entries, evidence }: KeyListInput): TrustedKeys | KeyListFailure {
  if (entries.length === 0) return { failure: 'There is no key list', at: 0 }
  const trusted: TrustedKeys = { keys: [], pending: [], unavailable: [] }
  let formerKeys: SigningKey[] | null = null
  for (const [at, entry] of entries.entries()) {
    try {
      const statement = readSignedStatement(entry, domain, kind)
      assertOrder(statement, entries[at - 1])
      assertSigner(statement, formerKeys, firstSigner)
      assertNextKeyList(formerKeys, statement)
      formerKeys = statement.keys
      const anchorStatus = checkAnchoring(entry, statement.createdAt, domain, evidence[at] ?? null, kind)
      if (anchorStatus === 'pending') trusted.pending.push(entry.index)
      if (anchorStatus === 'unavailable') trusted.unavailable.push(entry.index)
    } catch (error) {
      return { failure: getErrorMessage(error), at }
    }
  }
  return { ...trusted, keys: formerKeys ?? [] }
}

/** @throws Error if the signer is not valid at the list's own index */
function assertSigner(
  { index, signer }: KeysStatement,
  formerKeys: readonly SigningKey[] | null,
  firstSigner: Address,
): void {
  const name = shortenAddress(signer)
  if (!formerKeys) {
    if (signer.toLowerCase() === firstSigner.toLowerCase()) return
    throw new Error(`The first key list is signed by ${name}, the trusted first key is ${shortenAddress(firstSigner)}`)
  }
  const key = formerKeys.find(({ address }) => address === signer)
  if (!key) throw new Error(`The key list of entry ${index} is signed by ${name}, which is not a published key`)
  if (findKeyAt(formerKeys, index) === key) return
  throw new Error(`Signer ${name} signs ${describeWindow(key)}, the key list is entry ${index}`)
}

/**
 * Checks that a list comes after the one before it. For the second list, the rules for windows do
 * not ensure this, because the first list can have any index.
 */
function assertOrder({ index }: KeysStatement, previousEntry: SignedEntry | undefined): void {
  if (previousEntry && index <= previousEntry.index) {
    throw new Error(`The key list of entry ${index} is listed after that of entry ${previousEntry.index}`)
  }
}
