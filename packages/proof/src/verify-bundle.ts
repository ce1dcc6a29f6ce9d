import type { BundledAlert, ProofBundle } from './bundle.ts'
import { readAnchorEvidence } from './evidence.ts'
import { cacheResponses, type Rpc } from './json-rpc.ts'
import { chainUnavailable, failedBecause, type Outcome } from './outcome.ts'
import { type LogTrust, readTrustedKeys } from './trusted-keys.ts'
import { type ClaimedAlert, type Verification, verifyAlert } from './verify.ts'
import type { TrustedKeys } from './verify-key-list.ts'

/**
 * Verifies a bundle against the chain with the six checks of an alert. A problem with the key
 * lists, or a log other than the trusted one, fails the second check. Never throws on a bundle from
 * parseBundle.
 */
export async function verifyBundle(
  bundle: ProofBundle,
  { trust, rpc }: { trust: LogTrust; rpc: Rpc },
): Promise<Verification> {
  const { domain } = trust
  const ask = cacheResponses(rpc)
  const alert = toClaim(bundle.alert)
  const { avalancheTx, treeSize } = alert
  const evidence = avalancheTx === null ? null : await readAnchorEvidence(ask, domain, avalancheTx, treeSize)
  const trusted = await readTrustedKeys(ask, bundle, trust)
  if ('failure' in trusted) {
    return verifyAlert({ alert, domain, keys: [], keyProblem: failedBecause(trusted.failure), evidence })
  }
  return verifyAlert({ alert, domain, keys: trusted.keys, keyProblem: findUnanchoredList(trusted, alert), evidence })
}

function toClaim({ logIndex, ...fields }: BundledAlert): ClaimedAlert {
  return { ...fields, index: logIndex }
}

/**
 * Key lists before the alert determine who may sign it, so they must be as well anchored as the
 * alert itself.
 */
function findUnanchoredList({ pending, unavailable }: TrustedKeys, alert: ClaimedAlert): Outcome | null {
  const isBefore = (index: number) => typeof alert.index === 'number' && index < alert.index
  const open = pending.find(isBefore)
  if (open !== undefined && alert.avalancheTx !== null) {
    return failedBecause(`The key list of entry ${open} is not anchored, though the alert after it is`)
  }
  return unavailable.some(isBefore) ? chainUnavailable : null
}
