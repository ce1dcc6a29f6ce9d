import { ApiError, sentenceOf } from '../../api.ts'
import type { Doing } from './purchase.ts'

/** Proving a wallet creates its user record. */
const failures: Record<Doing, string> = {
  proving: 'Failed to create user',
  ordering: 'Failed to create subscription',
  approving: 'Token transfer failed',
  approved: 'Token transfer failed',
  paying: 'Token transfer failed',
  reporting: 'Failed to create subscription',
}

/**
 * What the toast says about a purchase that failed at this step: the server's refusal by itself,
 * otherwise the step and the reason if there is one.
 * @param walletWords null if the wallet did not cause the failure
 */
export function describeFailure(step: Doing, error: unknown, walletWords: string | null): string {
  const failed = failures[step]
  const said = sentenceOf(error, '') || null
  if (error instanceof ApiError && error.status < 500 && said !== null) return said
  const reason = walletWords ?? said
  return reason === null ? failed : `${failed}: ${reason}`
}
