/** What a transaction offers for each unit of gas, in wei (EIP-1559). */
export interface Fees {
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/** How long a transaction may wait for a block on what it offers. */
const PATIENCE_MS = 60_000

export function isStuck(signedAt: Date, now: Date): boolean {
  return now.getTime() - signedAt.getTime() >= PATIENCE_MS
}

/** What to offer at first: enough for a base fee that doubles meanwhile, up to the cap. */
export function firstFees(market: Fees, capGwei: number): Fees {
  const maxFeePerGas = smaller(2n * market.maxFeePerGas, capOf(capGwei))
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(market.maxPriorityFeePerGas, maxFeePerGas) }
}

/**
 * What to offer in place of a transaction that no block takes: what the chain asks for now, and in both fields at least an eighth more than before,
 * without which nodes keep the old one.
 * @returns null where that is above the cap: then it waits until the chain is cheaper
 */
export function raisedFees(before: Fees, market: Fees, capGwei: number): Fees | null {
  const least = { maxFeePerGas: raised(before.maxFeePerGas), maxPriorityFeePerGas: raised(before.maxPriorityFeePerGas) }
  const cap = capOf(capGwei)
  if (least.maxFeePerGas > cap) return null
  const wanted = firstFees(market, capGwei)
  return {
    maxFeePerGas: larger(least.maxFeePerGas, wanted.maxFeePerGas),
    maxPriorityFeePerGas: larger(least.maxPriorityFeePerGas, wanted.maxPriorityFeePerGas),
  }
}

/** Rounded up, and never the same. */
function raised(wei: bigint): bigint {
  return wei + wei / 8n + 1n
}

function capOf(gwei: number): bigint {
  return BigInt(Math.round(gwei * 1e9))
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
