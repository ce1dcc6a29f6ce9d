import type { BundledAlert, ProofBundle } from './bundle.ts'
import { readAnchorEvidence } from './evidence.ts'
import { type Rpc, rememberAnswers } from './json-rpc.ts'
import { chainSilent, failedBecause, type Outcome } from './outcome.ts'
import { type LogTrust, readTrustedKeys } from './trusted-keys.ts'
import { type ClaimedAlert, type Verification, verifyAlert } from './verify.ts'
import type { TrustedKeys } from './verify-key-list.ts'

/**
 * Checks a bundle against the chain alone, by the six checks of an alert. What is wrong with the bundle's key lists, or with
 * whom it says it is of, fails the second. Never throws on a bundle that parseBundle has given.
 */
export async function verifyBundle(
  bundle: ProofBundle,
  { trust, rpc }: { trust: LogTrust; rpc: Rpc },
): Promise<Verification> {
  const { domain } = trust
  const ask = rememberAnswers(rpc)
  const alert = toClaim(bundle.alert)
  const { avalancheTx, treeSize } = alert
  const evidence = avalancheTx === null ? null : await readAnchorEvidence(ask, domain, avalancheTx, treeSize)
  const trusted = await readTrustedKeys(ask, bundle, trust)
  if ('failure' in trusted) {
    return verifyAlert({ alert, domain, keys: [], keyTrouble: failedBecause(trusted.failure), evidence })
  }
  return verifyAlert({ alert, domain, keys: trusted.keys, keyTrouble: findOpenList(trusted, alert), evidence })
}

function toClaim({ logIndex, ...fields }: BundledAlert): ClaimedAlert {
  return { ...fields, index: logIndex }
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
