import { checkBlockTime, checkMerklePath, checkRoot, checkTransaction } from './anchor-checks.ts'
import { textToBytes } from './canonical-json.ts'
import type { CheckResult } from './check-result.ts'
import type { AnchorEvidenceResult } from './evidence.ts'
import { bytesToHex } from './hex.ts'
import { recoverSigner } from './signature.ts'
import type { SignedEntry } from './signed-entry.ts'
import type { Statement } from './statement.ts'
import { hashLeaf } from './tree.ts'
import { hashStatement, type ProofDomain } from './typed-data.ts'
import { shortenAddress } from './words.ts'

/** A kind of signed entry, and the nouns that messages use for it. */
export interface EntryKind<Content extends Statement> {
  /** Name of the kind, for example `key list`. */
  name: string
  noun: 'list' | 'outcome'
  decode: (bytes: Uint8Array) => Content
}

/** @throws Error if content, leaf hash, index and signature do not match */
export function readSignedStatement<Content extends Statement>(
  entry: SignedEntry,
  domain: ProofDomain,
  { name, noun, decode }: EntryKind<Content>,
): Content {
  const bytes = textToBytes(entry.bytes)
  const statement = decode(bytes)
  const { index, signer } = statement
  if (index !== entry.index) throw new Error(`The ${name} of entry ${entry.index} says that it is entry ${index}`)
  if (bytesToHex(hashLeaf(bytes)) !== entry.leafHash) {
    throw new Error(`The leaf hash of the ${name} of entry ${index} is not that of its content`)
  }
  const recoveredSigner = recoverSigner(hashStatement(domain, statement), entry.signature)
  if (!recoveredSigner) throw new Error(`The signature of the ${name} of entry ${index} is malformed`)
  if (recoveredSigner !== signer) {
    const names = `leads to ${shortenAddress(recoveredSigner)}, the ${noun} says ${shortenAddress(signer)}`
    throw new Error(`The signature of the ${name} of entry ${index} ${names}`)
  }
  return statement
}

/**
 * Runs the four anchor checks. Returns the status of the first one that did not pass, or 'passed'.
 * @throws Error when the anchor contradicts the entry
 */
export function checkAnchoring(
  entry: SignedEntry,
  createdAt: string,
  domain: ProofDomain,
  evidence: AnchorEvidenceResult,
  { name, noun }: Pick<EntryKind<Statement>, 'name' | 'noun'>,
): CheckResult['status'] {
  const results = [
    checkMerklePath(entry, noun),
    checkRoot(entry, domain, evidence, noun),
    checkTransaction(entry, evidence),
    checkBlockTime(entry, { createdAt }, evidence, noun),
  ]
  const failedResult = results.find(({ status }) => status === 'failed')
  if (failedResult) throw new Error(`The ${name} of entry ${entry.index} can't be proved: ${failedResult.reason}`)
  const firstNotPassed = results.find(({ status }) => status !== 'passed')
  return firstNotPassed?.status ?? 'passed'
}
