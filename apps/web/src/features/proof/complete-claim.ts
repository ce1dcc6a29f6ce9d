import { call } from '../../api/api.ts'
import { isLocked } from '../alert/alert-texts.ts'
import type { Claim } from './claim.ts'
import { isComplete } from './complete-alert.ts'

/**
 * Fills in the missing fields of the claim's alert with those of the server's alert with the same
 * id. Returns the claim unchanged if the user is not allowed to read that alert or the request
 * fails; the checks then report what is missing. Proof files are never completed, so that every
 * verifier checks the same data.
 */
export async function completeClaim(claim: Claim): Promise<Claim> {
  const { alert, bundle } = claim
  if (bundle !== null || isComplete(alert)) return claim
  const response = await call('searchAlerts', { query: { q: alert.id, limit: 1 } }).catch(() => null)
  const foundAlert = response?.items[0]?.alert
  if (!foundAlert || isLocked(foundAlert) || foundAlert.id !== alert.id) return claim
  const { origin, signalHash, kind, targetIndex, targetLeafHash, salt, signer } = foundAlert
  const { logIndex, leafHash, treeSize, root } = foundAlert
  const content = { origin, signalHash, kind, targetIndex, targetLeafHash, salt, signer }
  return { ...claim, alert: { ...content, logIndex, leafHash, treeSize, root, ...alert } }
}
