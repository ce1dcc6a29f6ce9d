import { isDeepStrictEqual } from 'node:util'
import { type Address, type Hex, maxReceiptPayments, type ReceiptPayment, type ReceiptStatement } from '@tocsin/proof'
import type { PlanId } from '@tocsin/protocol'
import { Refusal } from '../../refusal.ts'

/** A paid period with its payments. */
export interface PaidPeriod {
  id: string
  accountId: string
  planId: PlanId
  startsAt: Date
  endsAt: Date
  revokedAt: Date | null
  /**
   * The treasury that was paid. Null for an old payment without an order, whose treasury was not
   * recorded.
   */
  treasury: Address | null
  /** The payments that are on the chain, oldest first. Empty if all of them were reverted. */
  payments: PaidTransfer[]
}

export interface PaidTransfer {
  chainId: number
  token: Address
  payer: Address
  amountWei: bigint
  txHash: Hex
  logIndex: number
}

/** Size and signer of the log at one point in time. */
export interface LogState {
  size: number
  signer: Address
}

/**
 * Returns the first payment of a period.
 * @throws Refusal if the payment has been reverted
 */
export function assertPaid({ revokedAt, payments: [first] }: PaidPeriod): PaidTransfer {
  if (revokedAt === null && first) return first
  throw new Refusal(
    'payment_unknown',
    'A reorganisation removed this payment. Its receipt is available once the payment is in a block again.',
  )
}

function listReceiptPayments({ payments }: PaidPeriod): ReceiptPayment[] {
  return payments.map(({ payer, amountWei, txHash, logIndex }) => ({
    payer,
    amountWei: amountWei.toString(),
    transactionHash: txHash,
    logIndex,
  }))
}

/** True if the bytes of a signed receipt list exactly the current payments of the period. */
export function namesPayments(bytes: string, period: PaidPeriod): boolean {
  const { payments }: { payments?: unknown } = JSON.parse(bytes)
  return isDeepStrictEqual(payments, listReceiptPayments(period))
}

/**
 * Builds the content of the period's receipt.
 * @param treasury the address that received the payments
 * @throws Refusal payment_unknown if the payment has been reverted, receipt_too_long
 */
export function buildReceiptStatement(
  period: PaidPeriod,
  { treasury, log, now }: { treasury: Address; log: LogState; now: Date },
): ReceiptStatement {
  const first = assertPaid(period)
  if (period.payments.length > maxReceiptPayments) {
    throw new Refusal(
      'receipt_too_long',
      `This purchase was paid in ${period.payments.length} transfers. A receipt names at most ${maxReceiptPayments}.`,
    )
  }
  return {
    kind: 'receipt',
    id: period.id,
    plan: period.planId,
    startsAt: period.startsAt.toISOString(),
    endsAt: period.endsAt.toISOString(),
    chainId: first.chainId,
    token: first.token,
    treasury,
    payments: listReceiptPayments(period),
    issuedAt: now.toISOString(),
    logSize: log.size,
    signer: log.signer,
  }
}
