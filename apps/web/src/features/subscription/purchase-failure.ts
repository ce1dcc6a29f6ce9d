import { ApiError, getErrorMessage } from '../../api/api.ts'
import type { Funds } from '../../wallet/token-payment.ts'
import { WalletError } from '../../wallet/wallet-error.ts'
import { mayHaveSent } from './may-have-sent.ts'
import { type ActiveStep, formatIto, formatMissingGas, type PurchaseTerms } from './purchase.ts'

/**
 * Error texts by failed step. Proving a wallet creates the user record of the wallet, so the text
 * of that step is "Failed to create user".
 */
const failureTexts: Record<ActiveStep, string> = {
  proving: 'Failed to create user',
  ordering: 'Failed to create subscription',
  approving: 'Token transfer failed',
  approved: 'Token transfer failed',
  paying: 'Token transfer failed',
  reporting: 'Failed to create subscription',
}

/**
 * The toast text for a purchase that failed at `step`: the server's message alone if it rejected
 * the request, otherwise the failed step and, if known, the reason. Does not say that a payment
 * failed if the wallet may have sent it.
 * @param walletMessage null if the wallet did not cause the failure
 */
export function describeFailure(step: ActiveStep, error: unknown, walletMessage: string | null): string {
  const isWalletRequest = step === 'approving' || step === 'paying'
  const mayBeSent = isWalletRequest && error instanceof WalletError && mayHaveSent(error)
  const failure = mayBeSent ? 'Payment not confirmed' : failureTexts[step]
  const serverMessage = getErrorMessage(error, '') || null
  if (error instanceof ApiError && error.status < 500 && serverMessage !== null) return serverMessage
  const reason = walletMessage ?? serverMessage
  return reason === null ? failure : `${failure}: ${reason}`
}

/** The message for a wallet error, with the amounts of this payment where they help. */
export function describeWalletError(error: WalletError, terms: PurchaseTerms | null, funds: Funds | null): string {
  if (terms === null) return error.message
  const { feeWei = null, nativeWei = null } = funds ?? {}
  if (error.kind === 'insufficient_gas' && feeWei !== null && nativeWei !== null) {
    return formatMissingGas(feeWei, nativeWei, terms.coin)
  }
  if (error.kind === 'unsupported') {
    return `Your wallet does not support this step. Send exactly ${formatIto(terms.amountWei)} ITO on ${terms.chainName} to the treasury above yourself, then paste the transaction below.`
  }
  return error.message
}
