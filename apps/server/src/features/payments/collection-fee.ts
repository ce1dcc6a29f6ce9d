/** EIP-1559 fees per unit of gas, in wei. */
export interface Fees {
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/** How long a transaction may stay pending before its fee is raised. */
const REPLACE_AFTER_MS = 60_000

export function isStuck(signedAt: Date, now: Date): boolean {
  return now.getTime() - signedAt.getTime() >= REPLACE_AFTER_MS
}

/** Returns the initial fees. They cover a doubled base fee, up to the cap. */
export function firstFees(market: Fees, capGwei: number): Fees {
  const maxFeePerGas = minBigInt(2n * market.maxFeePerGas, gweiToWei(capGwei))
  return { maxFeePerGas, maxPriorityFeePerGas: minBigInt(market.maxPriorityFeePerGas, maxFeePerGas) }
}

/**
 * Returns the fees of a replacement transaction: the initial fees of the current market, but in
 * both fields at least 12.5 % more than before, because nodes reject smaller increases.
 * @returns null if the increase exceeds the cap; the transaction then waits until fees drop
 */
export function raisedFees(before: Fees, market: Fees, capGwei: number): Fees | null {
  const least = {
    maxFeePerGas: raiseFee(before.maxFeePerGas),
    maxPriorityFeePerGas: raiseFee(before.maxPriorityFeePerGas),
  }
  const cap = gweiToWei(capGwei)
  if (least.maxFeePerGas > cap) return null
  const wanted = firstFees(market, capGwei)
  return {
    maxFeePerGas: maxBigInt(least.maxFeePerGas, wanted.maxFeePerGas),
    maxPriorityFeePerGas: maxBigInt(least.maxPriorityFeePerGas, wanted.maxPriorityFeePerGas),
  }
}

/** Raises a fee by 12.5 %. Rounds up, so the result is always larger. */
function raiseFee(wei: bigint): bigint {
  return wei + wei / 8n + 1n
}

function gweiToWei(gwei: number): bigint {
  return BigInt(Math.round(gwei * 1e9))
}

function minBigInt(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function maxBigInt(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
