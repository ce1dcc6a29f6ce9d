import type { LogSource } from './bundle.ts'
import type { Address } from './hex.ts'
import type { Rpc } from './json-rpc.ts'
import type { ProofDomain } from './typed-data.ts'
import { readEntryEvidence, type TrustedKeys, verifyKeyList } from './verify-key-list.ts'
import { shortenAddress } from './words.ts'

/** The values about the log that the verifier trusts. They must not come from the verified file. */
export interface LogTrust {
  firstSigner: Address
  domain: ProofDomain
}

/**
 * Verifies the key lists of a file against the chain. Returns a failure if they are invalid or of a
 * log other than the trusted one.
 */
export async function readTrustedKeys(
  rpc: Rpc,
  file: LogSource,
  trust: LogTrust,
): Promise<TrustedKeys | { failure: string }> {
  const mismatch = findMismatch(file, trust)
  if (mismatch) return { failure: mismatch }
  const { domain, firstSigner } = trust
  const evidence = await readEntryEvidence(rpc, domain, file.keys)
  return verifyKeyList({ domain, firstSigner, entries: file.keys, evidence })
}

function findMismatch({ anchor, firstSigner }: LogSource, trust: LogTrust): string | null {
  const { chainId, verifyingContract } = trust.domain
  if (anchor.chainId !== chainId)
    return `The file belongs to chain ${anchor.chainId}, the trusted log to chain ${chainId}`
  if (anchor.contract.toLowerCase() !== verifyingContract.toLowerCase()) {
    const names = `${shortenAddress(anchor.contract)}, the trusted log of ${shortenAddress(verifyingContract)}`
    return `The file is of the contract ${names}`
  }
  if (firstSigner.toLowerCase() === trust.firstSigner.toLowerCase()) return null
  return `The file's first key is ${shortenAddress(firstSigner)}, the trusted one ${shortenAddress(trust.firstSigner)}`
}
