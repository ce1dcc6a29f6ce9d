/**
 * What one transaction of a purchase moves, as the server's order names it: nothing of it stands in
 * this bundle. Addresses as text, the amount in base units.
 */
export interface TokenPayment {
  chainId: number
  token: string
  /** The treasury: who is paid, and who may collect what is approved. */
  recipient: string
  /** The wallet that pays. */
  payer: string
  amountWei: bigint
}

/**
 * How a payment reaches the treasury: sent by the payer, or approved by them and collected by the
 * server.
 */
export type PaymentPath = 'transfer' | 'approve'

/** What the payer holds on the payment's chain, in base units; null where it can't be told. */
export interface Funds {
  balanceWei: bigint | null
  /** The chain's own coin, for the network fee. */
  nativeWei: bigint | null
  /** What the treasury may still collect; 0 where it can't be told. */
  allowanceWei: bigint
  /** What the transaction would cost in the chain's coin, about. */
  feeWei: bigint | null
}

/** What became of a transaction that was sent. `feeWei` is what the network took for it. */
export interface ReceiptOutcome {
  result: 'success' | 'reverted' | 'cancelled'
  feeWei: bigint
}
