import type { LogSource } from './bundle.ts'
import type { Address } from './hex.ts'
import type { Rpc } from './json-rpc.ts'
import type { ProofDomain } from './typed-data.ts'
import { readKeyListEvidence, type TrustedKeys, verifyKeyList } from './verify-key-list.ts'
import { shortAddress } from './words.ts'

/** What whoever verifies knows of the log from elsewhere: not from the file. */
export interface LogTrust {
  firstSigner: Address
  domain: ProofDomain
}

/** The keys that the file brings, judged by the chain; a failure when they are false, or of another log than the trusted one. */
export async function readTrustedKeys(
  rpc: Rpc,
  file: LogSource,
  trust: LogTrust,
): Promise<TrustedKeys | { failure: string }> {
  const stranger = findStranger(file, trust)
  if (stranger) return { failure: stranger }
  const { domain, firstSigner } = trust
  const evidence = await readKeyListEvidence(rpc, domain, file.keys)
  return verifyKeyList({ domain, firstSigner, entries: file.keys, evidence })
}

function findStranger({ anchor, firstSigner }: LogSource, trust: LogTrust): string | null {
  const { chainId, verifyingContract } = trust.domain
  if (anchor.chainId !== chainId) return `The file is of chain ${anchor.chainId}, the trusted log of ${chainId}`
  if (anchor.contract.toLowerCase() !== verifyingContract.toLowerCase()) {
    const names = `${shortAddress(anchor.contract)}, the trusted log of ${shortAddress(verifyingContract)}`
    return `The file is of the contract ${names}`
  }
  if (firstSigner.toLowerCase() === trust.firstSigner.toLowerCase()) return null
  return `The file's first key is ${shortAddress(firstSigner)}, the trusted one ${shortAddress(trust.firstSigner)}`
}
