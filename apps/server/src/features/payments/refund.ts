import { getAddress, isAddressEqual } from 'viem'
import { formatIto, type Transfer } from '../../chain/transfer.ts'
import { Refusal } from '../../refusal.ts'
import { isConfirmed, type PaymentTerms } from './payment.ts'
import type { ChainTransaction } from './transaction.ts'

/** The payment to refund: its token, payer, amount and the part that is already refunded. */
export interface Refundable {
  token: `0x${string}`
  payer: `0x${string}`
  /** The treasury that received the payment, or null if it was not recorded. */
  treasury: `0x${string}` | null
  amountWei: bigint
  /** Part of the payment above its price, or 0n. */
  excessWei: bigint
  /** Sum of the refunds that are recorded. */
  refundedWei: bigint
}

/**
 * Returns the transfers of a transaction that refund a payment: its token to the payer, from the
 * treasury that received the payment or from the configured one, and together not more than the
 * payment.
 * @param usedLogIndexes log indexes of the transaction that are recorded as refunds, of any payment
 * @throws Refusal with the first check that fails
 */
export function acceptRefund(
  transaction: ChainTransaction,
  { token: paidToken, payer, treasury, amountWei, excessWei, refundedWei }: Refundable,
  usedLogIndexes: ReadonlySet<number>,
  terms: PaymentTerms,
): Transfer[] {
  if (transaction.state === 'unknown') {
    throw new Refusal('payment_unknown', 'Transaction not found on the chain. Check its hash and the network.')
  }
  if (transaction.state === 'reverted') {
    throw new Refusal('payment_reverted', 'This transaction failed on the chain. No ITO was transferred.')
  }
  if (!isConfirmed(transaction, terms)) {
    throw new Refusal('payment_confirming', 'This transaction is not confirmed yet. Try again in a minute.')
  }
  const tokenTransfers = transaction.transfers.filter(({ token }) => isAddressEqual(token, paidToken))
  if (tokenTransfers.length === 0) {
    const contractText = isAddressEqual(paidToken, terms.token) ? '' : ` of the contract that was paid, ${paidToken}`
    throw new Refusal('payment_wrong_token', `This transaction does not transfer ITO${contractText}.`)
  }
  const treasuries = [...new Set([treasury ?? terms.treasury, terms.treasury].map((address) => getAddress(address)))]
  const treasuryTransfers = tokenTransfers.filter((transfer) =>
    treasuries.some((address) => isAddressEqual(transfer.payer, address)),
  )
  if (treasuryTransfers.length === 0) {
    const names = treasuries.join(' or ')
    throw new Refusal('payment_wrong_sender', `This transaction does not transfer ITO from the treasury, ${names}.`)
  }
  const transfersToPayer = treasuryTransfers.filter(
    ({ recipient, amountWei: wei }) => isAddressEqual(recipient, payer) && wei > 0n,
  )
  if (transfersToPayer.length === 0) {
    throw new Refusal('payment_wrong_recipient', `This transaction does not pay ${payer}, who sent the payment.`)
  }
  const unusedTransfers = transfersToPayer.filter(({ logIndex }) => !usedLogIndexes.has(logIndex))
  if (unusedTransfers.length === 0)
    throw new Refusal('payment_used', 'This transaction is already recorded as a refund.')
  const refundTransfers = selectRefund(unusedTransfers, amountWei - refundedWei, excessWei - refundedWei)
  if (refundTransfers.length === 0) {
    const sum = unusedTransfers.reduce((total, transfer) => total + transfer.amountWei, refundedWei)
    throw new Refusal(
      'refund_too_large',
      `The refunds would be ${formatIto(sum)}, more than the payment of ${formatIto(amountWei)}.${unusedTransfers.length > 1 ? ' Record the other refunds of this transaction first.' : ''}`,
    )
  }
  return refundTransfers
}

/**
 * Selects the transfers that refund a payment. One transaction can refund several payments, so a
 * transfer of the excess or of the whole rest is preferred.
 * @returns an empty array if the transfers exceed the rest, or if it is unclear which of them is
 *   meant
 */
function selectRefund(transfers: Transfer[], restWei: bigint, excessWei: bigint): Transfer[] {
  const [match, ...otherMatches] = transfers.filter(({ amountWei }) => amountWei === restWei || amountWei === excessWei)
  if (match) return otherMatches.every(({ amountWei }) => amountWei === match.amountWei) ? [match] : []
  const sum = transfers.reduce((total, { amountWei }) => total + amountWei, 0n)
  return sum <= restWei ? transfers : []
}
