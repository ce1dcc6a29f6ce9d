import type { BundledAlert, ProofBundle } from './bundle.ts'
import { readAnchorEvidence } from './evidence.ts'
import type { Address } from './hex.ts'
import type { Rpc } from './json-rpc.ts'
import { chainSilent, failedBecause, type Outcome } from './outcome.ts'
import type { ProofDomain } from './typed-data.ts'
import { type ClaimedAlert, type Verification, verifyAlert } from './verify.ts'
import { readKeyListEvidence, type TrustedKeys, verifyKeyList } from './verify-key-list.ts'
import { shortAddress } from './words.ts'

/** What whoever verifies knows from elsewhere: not from the bundle. */
export interface BundleTrust {
  firstSigner: Address
  domain: ProofDomain
}

/**
 * Checks a bundle against the chain alone, by the six checks of an alert. What is wrong with the bundle's key lists, or with
 * whom it says it is of, fails the second. Never throws on a bundle that parseBundle has given.
 */
export async function verifyBundle(
  bundle: ProofBundle,
  { trust, rpc }: { trust: BundleTrust; rpc: Rpc },
): Promise<Verification> {
  const { domain, firstSigner } = trust
  const ask = rememberAnswers(rpc)
  const alert = toClaim(bundle.alert)
  const { avalancheTx, treeSize } = alert
  const evidence = avalancheTx === null ? null : await readAnchorEvidence(ask, domain, avalancheTx, treeSize)
  const trouble = findStranger(bundle, trust)
  if (trouble) return verifyAlert({ alert, domain, keys: [], keyTrouble: failedBecause(trouble), evidence })
  const lists = await readKeyListEvidence(ask, domain, bundle.keys)
  const verified = verifyKeyList({ domain, firstSigner, entries: bundle.keys, evidence: lists })
  if ('failure' in verified) {
    return verifyAlert({ alert, domain, keys: [], keyTrouble: failedBecause(verified.failure), evidence })
  }
  const keyTrouble = findOpenList(verified, alert)
  return verifyAlert({ alert, domain, keys: verified.keys, keyTrouble, evidence })
}

function toClaim({ logIndex, ...fields }: BundledAlert): ClaimedAlert {
  return { ...fields, index: logIndex }
}

/** What says that a bundle or receipt is of another log than the trusted one; null when it is not. */
export function findStranger(
  { anchor, firstSigner }: Pick<ProofBundle, 'anchor' | 'firstSigner'>,
  trust: BundleTrust,
): string | null {
  const { chainId, verifyingContract } = trust.domain
  if (anchor.chainId !== chainId) return `The bundle is of chain ${anchor.chainId}, the trusted log of ${chainId}`
  if (anchor.contract.toLowerCase() !== verifyingContract.toLowerCase()) {
    const names = `${shortAddress(anchor.contract)}, the trusted log of ${shortAddress(verifyingContract)}`
    return `The bundle is of the contract ${names}`
  }
  if (firstSigner.toLowerCase() === trust.firstSigner.toLowerCase()) return null
  return `The bundle's first key is ${shortAddress(firstSigner)}, the trusted one ${shortAddress(trust.firstSigner)}`
}

/** The lists that stand before the alert decide who may sign it, so they must be as certain as the alert itself. */
function findOpenList({ pending, unavailable }: TrustedKeys, alert: ClaimedAlert): Outcome | null {
  const isBefore = (index: number) => typeof alert.index === 'number' && index < alert.index
  const open = pending.find(isBefore)
  if (open !== undefined && alert.avalancheTx !== null) {
    return failedBecause(`The key list of entry ${open} is not anchored, though the alert after it is`)
  }
  return unavailable.some(isBefore) ? chainSilent : null
}

/** One bundle asks for the same chain, block and transaction again and again. */
function rememberAnswers(rpc: Rpc): Rpc {
  const answers = new Map<string, Promise<unknown>>()
  return (method, params) => {
    const question = JSON.stringify([method, params])
    const known = answers.get(question)
    if (known) return known
    const answer = rpc(method, params)
    answers.set(question, answer)
    return answer
  }
}
