import { ApiError, sentenceOf } from '../../api/api.ts'
import type { ActiveStep } from './purchase.ts'

/** Proving a wallet creates its user record, so that step fails with "Failed to create user". */
const failures: Record<ActiveStep, string> = {
  proving: 'Failed to create user',
  ordering: 'Failed to create subscription',
  approving: 'Token transfer failed',
  approved: 'Token transfer failed',
  paying: 'Token transfer failed',
  reporting: 'Failed to create subscription',
}

/**
 * The toast text for a purchase that failed at `step`: the server's message alone if it rejected
 * the request, otherwise the failed step and, if known, the reason.
 * @param walletMessage null if the wallet did not cause the failure
 */
export function describeFailure(step: ActiveStep, error: unknown, walletMessage: string | null): string {
  const failure = failures[step]
  const serverMessage = sentenceOf(error, '') || null
  if (error instanceof ApiError && error.status < 500 && serverMessage !== null) return serverMessage
  const reason = walletMessage ?? serverMessage
  return reason === null ? failure : `${failure}: ${reason}`
}
