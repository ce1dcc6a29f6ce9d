import type { Address } from '@tocsin/proof'
import { type Plan, plans, type UnmatchedPayment } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { isAddressEqual } from 'viem'
import { formatIto, type Transfer } from '../../chain/transfer.ts'
import type { Config } from '../../config.ts'
import { Refusal } from '../../refusal.ts'
import type { ChainTransaction } from './transaction.ts'

export type PaymentTerms = Config['payment']

export interface Claim {
  plan: Plan
  /** Checksummed wallets proved by the claiming session. */
  payers: readonly string[]
  now: Date
}

export type UnmatchedReason = UnmatchedPayment['reason']

/** Maximum time that block timestamps may be ahead of the server's clock. */
const MAX_BLOCK_TIME_AHEAD_MS = 15 * MINUTE_MS

/**
 * Returns the transfers of a transaction that pay for the claimed plan, smallest first: a larger
 * transfer may be meant for a larger plan.
 * @param usedLogIndexes log indexes that are already recorded
 * @throws Refusal with the first check that fails
 */
export function acceptTransfers(
  transaction: ChainTransaction,
  usedLogIndexes: ReadonlySet<number>,
  claim: Claim,
  terms: PaymentTerms,
): Transfer[] {
  if (transaction.state === 'unknown') {
    throw new Refusal('payment_unknown', 'Transaction not found on the chain. Check its hash and the network.')
  }
  if (transaction.state === 'pending') throw createUnconfirmedRefusal(0, terms.confirmations)
  if (transaction.state === 'reverted') {
    throw new Refusal('payment_reverted', 'This transaction failed on the chain. No ITO was transferred.')
  }
  const incomingTransfers = filterIncoming(transaction.transfers, terms)
  const unusedTransfers = incomingTransfers.filter((transfer) => !usedLogIndexes.has(transfer.logIndex))
  if (unusedTransfers.length === 0) throw new Refusal('payment_used', 'This payment has already been used.')

  const ownTransfers = unusedTransfers.filter((transfer) => claim.payers.includes(transfer.payer))
  if (ownTransfers.length === 0) {
    throw new Refusal(
      'payment_wrong_sender',
      'This payment came from a wallet that you have not verified in this session. Connect that wallet and sign in with it.',
    )
  }
  const sufficientTransfers = ownTransfers
    .filter((transfer) => transfer.amountWei >= claim.plan.priceWei)
    .sort(compareAmounts)
  if (sufficientTransfers.length === 0) throw createTooSmallRefusal(ownTransfers, claim.plan)
  assertAge(transaction.blockAt, claim.now, terms)
  if (transaction.confirmations < terms.confirmations) {
    throw createUnconfirmedRefusal(transaction.confirmations, terms.confirmations)
  }
  return sufficientTransfers
}

/**
 * Returns the transfers of ITO to the treasury.
 * @throws Refusal payment_wrong_token, payment_wrong_recipient
 */
export function filterIncoming(transfers: readonly Transfer[], terms: PaymentTerms): Transfer[] {
  const tokenTransfers = transfers.filter(({ token }) => isAddressEqual(token, terms.token))
  if (tokenTransfers.length === 0) {
    throw new Refusal(
      'payment_wrong_token',
      `This transaction does not transfer ITO. The token contract is ${terms.token}.`,
    )
  }
  const incomingTransfers = tokenTransfers.filter((transfer) => isIncoming(transfer, terms))
  if (incomingTransfers.length === 0) {
    throw new Refusal(
      'payment_wrong_recipient',
      `This transaction does not pay the treasury, which is ${terms.treasury}.`,
    )
  }
  return incomingTransfers
}

/**
 * Returns the terms of a recorded transfer, which keeps its token and treasury when the
 * configuration changes.
 * @param treasury null if it was not recorded; the configured treasury is then used
 */
export function toRecordedTerms(
  terms: PaymentTerms,
  { token, treasury }: { token: Address; treasury: Address | null },
): PaymentTerms {
  return { ...terms, token, treasury: treasury ?? terms.treasury }
}

export function isConfirmed(
  transaction: ChainTransaction,
  { confirmations }: Pick<PaymentTerms, 'confirmations'>,
): transaction is Extract<ChainTransaction, { state: 'mined' }> {
  return transaction.state === 'mined' && transaction.confirmations >= confirmations
}

/** True for a non-zero transfer of ITO to the treasury from another address. */
export function isIncoming(transfer: Transfer, terms: PaymentTerms): boolean {
  return (
    isAddressEqual(transfer.token, terms.token) &&
    isAddressEqual(transfer.recipient, terms.treasury) &&
    !isAddressEqual(transfer.payer, terms.treasury) &&
    transfer.amountWei > 0n
  )
}

export function isTooOld(blockAt: Date, now: Date, terms: PaymentTerms): boolean {
  return now.getTime() - blockAt.getTime() > terms.maxAgeHours * HOUR_MS
}

/**
 * Matches a transfer that was not reported by its buyer. Returns the plan whose price equals the
 * amount, and the account that owns the wallet, or the reason why there is no match.
 */
export function matchTransfer(
  transfer: Pick<Transfer, 'amountWei' | 'blockAt'>,
  ownerId: string | null,
  now: Date,
  terms: PaymentTerms,
): { plan: Plan; accountId: string } | UnmatchedReason {
  const plan = plans.find(({ priceWei }) => priceWei === transfer.amountWei)
  if (!plan) return 'other_amount'
  if (isTooOld(transfer.blockAt, now, terms)) return 'too_old'
  return ownerId === null ? 'unknown_wallet' : { plan, accountId: ownerId }
}

function assertAge(blockAt: Date, now: Date, terms: PaymentTerms): void {
  if (isTooOld(blockAt, now, terms)) {
    throw new Refusal(
      'payment_too_old',
      `This payment is more than ${terms.maxAgeHours} hours old. Write to support to have it credited.`,
    )
  }
  if (blockAt.getTime() - now.getTime() > MAX_BLOCK_TIME_AHEAD_MS) {
    throw new Refusal(
      'unavailable',
      'The clock of the payment chain runs ahead. Your payment is safe: try again later.',
    )
  }
}

function createTooSmallRefusal(transfers: readonly Transfer[], plan: Plan): Refusal {
  const largestTransfer = [...transfers].sort(compareAmounts).at(-1)
  const receivedText = formatIto(largestTransfer?.amountWei ?? 0n)
  return new Refusal('payment_too_small', `${receivedText} arrived, the plan costs ${formatIto(plan.priceWei)}`)
}

function createUnconfirmedRefusal(confirmations: number, requiredConfirmations: number): Refusal {
  return new Refusal(
    'payment_confirming',
    `Your payment has ${confirmations} of ${requiredConfirmations} confirmations.`,
    {
      confirmations,
      required: requiredConfirmations,
    },
  )
}

function compareAmounts(a: Transfer, b: Transfer): number {
  return Number(a.amountWei - b.amountWei)
}
