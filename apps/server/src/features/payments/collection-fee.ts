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
export function computeFirstFees(estimatedFees: Fees, capGwei: number): Fees {
  const maxFeePerGas = minBigInt(2n * estimatedFees.maxFeePerGas, toWei(capGwei))
  return { maxFeePerGas, maxPriorityFeePerGas: minBigInt(estimatedFees.maxPriorityFeePerGas, maxFeePerGas) }
}

/**
 * Returns the fees of a replacement transaction: the initial fees of the current market, but in
 * both fields at least 12.5 % more than before, because nodes reject smaller increases.
 * @returns null if the increase exceeds the cap; the transaction then waits until fees drop
 */
export function computeRaisedFees(previousFees: Fees, estimatedFees: Fees, capGwei: number): Fees | null {
  const minFees = {
    maxFeePerGas: raiseFee(previousFees.maxFeePerGas),
    maxPriorityFeePerGas: raiseFee(previousFees.maxPriorityFeePerGas),
  }
  const capWei = toWei(capGwei)
  if (minFees.maxFeePerGas > capWei) return null
  const marketFees = computeFirstFees(estimatedFees, capGwei)
  return {
    maxFeePerGas: maxBigInt(minFees.maxFeePerGas, marketFees.maxFeePerGas),
    maxPriorityFeePerGas: maxBigInt(minFees.maxPriorityFeePerGas, marketFees.maxPriorityFeePerGas),
  }
}

/** Raises a fee by 12.5 %. Rounds up, so the result is always larger. */
function raiseFee(wei: bigint): bigint {
  return wei + wei / 8n + 1n
}

function toWei(gwei: number): bigint {
  return BigInt(Math.round(gwei * 1e9))
}

function minBigInt(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function maxBigInt(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
