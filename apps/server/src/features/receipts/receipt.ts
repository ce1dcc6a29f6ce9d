import type { Address, Hex, ReceiptStatement } from '@tocsin/proof'
import type { PlanId } from '@tocsin/protocol'
import { Refusal } from '../../refusal.ts'

/** A paid period with all that was paid for it. */
export interface PaidPeriod {
  id: string
  accountId: string
  planId: PlanId
  startsAt: Date
  endsAt: Date
  revokedAt: Date | null
  /** The treasury that an order has named; null for a payment without one. */
  treasury: Address | null
  /** At least one, oldest first. */
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

/** What the log says of itself at one moment. */
export interface LogMoment {
  size: number
  signer: Address
}

/**
 * The first payment of a period whose payments are on the chain.
 * @throws Refusal while they are not
 */
export function assertPaid({ revokedAt, payments: [first] }: PaidPeriod): PaidTransfer {
  if (revokedAt === null && first) return first
  throw new Refusal(
    'payment_unknown',
    'This payment has left the chain in a reorganisation. There is a receipt as soon as it is back.',
  )
}

/**
 * What a receipt of the period says.
 * @throws Refusal while the payment is off the chain
 */
export function stateReceipt(
  period: PaidPeriod,
  { treasury, log, now }: { treasury: Address; log: LogMoment; now: Date },
): ReceiptStatement {
  const first = assertPaid(period)
  return {
    kind: 'receipt',
    id: period.id,
    plan: period.planId,
    startsAt: period.startsAt.toISOString(),
    endsAt: period.endsAt.toISOString(),
    chainId: first.chainId,
    token: first.token,
    treasury: period.treasury ?? treasury,
    payments: period.payments.map(({ payer, amountWei, txHash, logIndex }) => ({
      payer,
      amountWei: amountWei.toString(),
      transactionHash: txHash,
      logIndex,
    })),
    issuedAt: now.toISOString(),
    logSize: log.size,
    signer: log.signer,
  }
}
