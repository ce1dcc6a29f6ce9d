import { ApiError, sentenceOf } from '../../api.ts'
import { purchaseTexts } from '../../texts/purchase.tsx'
import type { Doing } from './purchase.ts'

const texts = purchaseTexts.purchaseFailure

/** Proving a wallet creates its user record. */
const failures: Record<Doing, string> = {
  proving: texts.failedToCreateUser,
  ordering: texts.failedToCreateSubscription,
  approving: texts.tokenTransferFailed,
  approved: texts.tokenTransferFailed,
  paying: texts.tokenTransferFailed,
  reporting: texts.failedToCreateSubscription,
}

/**
 * What the toast says about a purchase that failed at this step: the server's refusal by itself, otherwise the step and the
 * reason if there is one.
 * @param walletWords null if the wallet did not cause the failure
 */
export function describeFailure(step: Doing, error: unknown, walletWords: string | null): string {
  const failed = failures[step]
  const said = sentenceOf(error, '') || null
  if (error instanceof ApiError && error.status < 500 && said !== null) return said
  const reason = walletWords ?? said
  return reason === null ? failed : texts.withReason({ failed, reason })
}
