import { call } from '../../api.ts'
import { isLocked } from '../alerts/alert-words.ts'
import type { Claim } from './claim.ts'
import { isWhole } from './whole-alert.ts'

/**
 * A claim whose copy of the alert lacks fields, with those fields from the alert of that id. It stays
 * as it is if this reader may not read the alert, or the server does not answer: the checks then say
 * what they lack. A proof file is checked as it is, like by every other verifier.
 */
export async function completeClaim(claim: Claim): Promise<Claim> {
  const { alert, bundle } = claim
  if (bundle !== null || isWhole(alert)) return claim
  const answer = await call('searchAlerts', { query: { q: alert.id, limit: 1 } }).catch(() => null)
  const found = answer?.items[0]?.alert
  if (!found || isLocked(found) || found.id !== alert.id) return claim
  const { origin, signalHash, kind, targetIndex, targetLeafHash, salt, signer } = found
  const { logIndex, leafHash, treeSize, root } = found
  const content = { origin, signalHash, kind, targetIndex, targetLeafHash, salt, signer }
  return { ...claim, alert: { ...content, logIndex, leafHash, treeSize, root, ...alert } }
}
