/**
 * One transaction of a purchase. All values come from the server's order; the bundle contains no
 * addresses. Amounts are in base units.
 */
export interface TokenPayment {
  chainId: number
  token: string
  /** The treasury: recipient of a transfer, or spender of an approval. */
  recipient: string
  /** Address of the paying wallet. */
  payer: string
  amountWei: bigint
}

/**
 * How a payment is made: a transfer by the payer, or an approval with which the server collects the
 * amount.
 */
export type PaymentPath = 'transfer' | 'approve'

/** The payer's funds on the payment's chain in base units; null if unknown. */
export interface Funds {
  balanceWei: bigint | null
  /** Balance of the chain's native coin, which pays the network fee. */
  nativeWei: bigint | null
  /** Remaining allowance of the treasury; 0 if unknown. */
  allowanceWei: bigint
  /** Estimated network fee in the native coin. */
  feeWei: bigint | null
}

/** The result of a mined transaction. `feeWei` is the fee that was charged. */
export interface ReceiptOutcome {
  result: 'success' | 'reverted' | 'cancelled'
  feeWei: bigint
}
