import type { BundledAlert, ProofBundle } from './bundle.ts'
import { type CheckResult, chainUnavailableResult, createFailedResult } from './check-result.ts'
import { readAnchorEvidence } from './evidence.ts'
import { cacheResponses, type Rpc } from './json-rpc.ts'
import { type LogTrust, readTrustedKeys } from './trusted-keys.ts'
import { type ClaimedAlert, type Verification, verifyAlert } from './verify.ts'
import { readEntryEvidence, type TrustedKeys } from './verify-key-list.ts'
import { type OutcomeVerification, verifyOutcomes } from './verify-outcomes.ts'

export interface BundleVerification extends Verification {
  /** The result for each outcome of the bundle. Outcomes do not change the alert's verdict. */
  outcomes: OutcomeVerification[]
}

/**
 * Verifies a bundle against the chain with the six checks of an alert. A problem with the key
 * lists, or a log other than the trusted one, fails the signature check. Never throws on a bundle
 * from parseBundle.
 */
export async function verifyBundle(
  bundle: ProofBundle,
  { trust, rpc }: { trust: LogTrust; rpc: Rpc },
): Promise<BundleVerification> {
  const { domain } = trust
  const cachedRpc = cacheResponses(rpc)
  const alert = toClaim(bundle.alert)
  const { avalancheTx, treeSize } = alert
  const evidence = await readAnchorEvidence(cachedRpc, domain, avalancheTx, treeSize)
  const trustedKeys = await readTrustedKeys(cachedRpc, bundle, trust)
  const { keys, keyProblem } =
    'failure' in trustedKeys
      ? { keys: [], keyProblem: createFailedResult(trustedKeys.failure) }
      : { keys: trustedKeys.keys, keyProblem: findUnanchoredList(trustedKeys, alert) }
  const { outcomes: entries = [] } = bundle
  const evidenceOfOutcomes = await readEntryEvidence(cachedRpc, domain, entries)
  return {
    ...verifyAlert({ alert, domain, keys, keyProblem, evidence }),
    outcomes: verifyOutcomes({ alert, domain, trusted: trustedKeys, entries, evidence: evidenceOfOutcomes }),
  }
}

function toClaim({ logIndex, ...fields }: BundledAlert): ClaimedAlert {
  return { ...fields, index: logIndex }
}

/**
 * Returns a problem with the anchors of the key lists before the alert, or null. These lists
 * determine which key is valid for the alert, so they must be anchored if the alert is.
 */
function findUnanchoredList({ pending, unavailable }: TrustedKeys, alert: ClaimedAlert): CheckResult | null {
  const isBefore = (index: number) => typeof alert.index === 'number' && index < alert.index
  const pendingList = pending.find(isBefore)
  if (pendingList !== undefined && alert.avalancheTx !== null) {
    return createFailedResult(`The key list of entry ${pendingList} is not anchored, though the alert after it is`)
  }
  return unavailable.some(isBefore) ? chainUnavailableResult : null
}
